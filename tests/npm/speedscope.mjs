// SPDX-License-Identifier: BSD-2-Clause
// speedscope.mjs MODULES FOLDER NAME...: speedscope itself opens
// FOLDER/NAME.speedscope.json in headless Chromium. What it shows of each
// function is compared with the report FOLDER/NAME.json of the same records.
import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { launch } from './browser.mjs';

const [modules, folder, ...names] = process.argv.slice(2);
const app = `${resolve(modules)}/node_modules/speedscope/dist/release/index.html`;
const value = {
	ae: f => f.application_exclusive_ns,
	ee: f => f.elapsed_exclusive_ns,
	calls: f => f.calls,
};
const units = {'': 1, ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9};

// Opens a file by the way that its command uses: a script that the page loads.
async function load(browser, bytes, name) {
	const page = await browser.newPage();
	const script = `${folder}/${name}.js`;

	page.on('dialog', d => d.dismiss());
	writeFileSync(script, 'speedscope.loadFileFromBase64(' +
		`"${name}.speedscope.json", "${bytes.toString('base64')}")`);
	await page.goto(`file://${app}#localProfilePath=${script}`);
	return page;
}

// "200.00ns (36%)" as a number, and by how much it can be rounded.
function number(text) {
	const [, digits, fraction, unit] =
		/^([\d,]+)(\.\d+)?(ns|µs|ms|s)? /.exec(text);
	const scale = units[unit || ''];

	return [Number(digits.replaceAll(',', '') + (fraction || '')) * scale,
		0.51 * scale * 10 ** -(fraction ? fraction.length - 1 : 0)];
}

// The rows of the table of functions: what each has by itself.
async function rows(page) {
	const found = await page.$$eval('tr', all => all
		.map(r => [...r.querySelectorAll('td')].map(c => c.innerText.trim()))
		.filter(r => r.length === 3 && r[1].includes('%')));

	return new Map(found.map(([, self, name]) => [name, self]));
}

async function compare(page, type, report, name) {
	const shown = await rows(page), sums = new Map();

	for (const f of report.functions)
		sums.set(f.name, (sums.get(f.name) || 0) + value[type](f));
	for (const [f, own] of sums) {
		if (own <= 0)
			continue;
		assert(shown.has(f), `${name}: ${type}: ${f} is not shown`);
		const [n, may] = number(shown.get(f));
		assert(Math.abs(n - own) <= may,
			`${name}: ${type} of ${f}: ${shown.get(f)}, not ${own}`);
	}
	return shown.size;
}

// The profile of that name is the one that is shown.
function chosen(page, type) {
	return page.waitForFunction(
		t => document.body.innerText.includes(`${t} (`),
		{timeout: 20000}, type);
}

async function check(browser, name) {
	const report = JSON.parse(readFileSync(`${folder}/${name}.json`));
	const page = await load(browser,
		readFileSync(`${folder}/${name}.speedscope.json`), name);
	let n = 0;

	for (const type of ['ae', 'ee', 'calls']) {
		await chosen(page, type);
		await page.keyboard.press('3');
		await page.waitForFunction(() =>
			document.body.innerText.includes('Symbol Name'));
		n += await compare(page, type, report, name);
		await page.keyboard.press('n');
	}
	assert(n > 5, `${name}: only ${n} rows`);
	await page.close();
}

// A file that was cut is refused, so the above shows something.
async function refuse(browser, name) {
	const bytes = readFileSync(`${folder}/${name}.speedscope.json`);
	const page = await load(browser, bytes.subarray(0, bytes.length / 2), 'cut');

	await page.waitForFunction(() =>
		document.body.innerText.includes('Something went wrong'),
		{timeout: 20000});
	await page.close();
}

const browser = await launch(modules);
try {
	for (const name of names)
		await check(browser, name);
	await refuse(browser, names[0]);
} finally {
	await browser.close();
}
