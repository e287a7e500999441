// SPDX-License-Identifier: BSD-2-Clause
// Headless Chromium for tests of pages: opened from disk, with no network, and
// with all that the page complains of.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

export async function launch(folder) {
	const modules = resolve(folder);
	const require = createRequire(`${modules}/package.json`);
	const puppeteer = require('puppeteer-core');

	return puppeteer.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		headless: true,
		args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
			'--host-resolver-rules=MAP * ~NOTFOUND'],
		protocolTimeout: 60000,
	});
}

// A page with `complaints`: errors, messages of its policy, and all that it asks
// for but the file itself.
export async function open(browser, path, options = {}) {
	const page = await browser.newPage();
	const complaints = [];

	page.on('pageerror', e => complaints.push(`error: ${e}`));
	page.on('console', m => complaints.push(`console: ${m.text()}`));
	page.on('dialog', d => {
		complaints.push(`dialog: ${d.message()}`);
		d.dismiss();
	});
	page.on('request', r => {
		if (r.url().split('#')[0] !== `file://${path}`)
			complaints.push(`request: ${r.url()}`);
	});
	await page.setViewport({width: options.width || 1200, height: 900});
	await page.emulateMediaFeatures([{name: 'prefers-color-scheme',
		value: options.theme || 'light'}]);
	await page.goto(`file://${path}#${options.place || ''}`,
		{waitUntil: 'domcontentloaded'});
	await page.waitForSelector('html[data-ready=yes]');
	return {page, complaints};
}
