// SPDX-License-Identifier: BSD-2-Clause
// load.mjs MODULES PAGE: how long headless Chromium takes to load a page of the
// format html, from the start of the navigation to the first frame that shows
// each view, and how long later frames take; in milliseconds.
import { resolve } from 'node:path';
import { launch } from '../../tests/npm/browser.mjs';

const [, , modules, path] = process.argv;
const browser = await launch(modules);
const SWEEP = 30;

// After two more frames, the requested drawing is on the screen.
const drawn = () => new Promise(done => requestAnimationFrame(() =>
	requestAnimationFrame(() => done(performance.now()))));

// The actions of a user; each one is drawn before the next one starts.
const moves = {
	findings: null,
	flame: i => window.gnomonPage.view.graph.zoomTo(
		window.gnomonPage.view.graph.frames()[i]?.node ?? 0),
	threads: i => {
		const {data, show} = window.gnomonPage.view;
		const whole = data.end - data.start;
		const length = whole / (1 + i * i);

		show(data.start + whole / 3, data.start + whole / 3 + length);
	},
	functions: i => document.querySelectorAll('th button')[1 + i % 4].click(),
	waits: i => document.querySelectorAll('th button')[3 + i % 2].click(),
};

for (const [view, move] of Object.entries(moves)) {
	const page = await browser.newPage();

	await page.setViewport({width: 1200, height: 900});
	await page.goto(`file://${resolve(path)}#${view}`,
		{waitUntil: 'domcontentloaded'});
	await page.waitForSelector('html[data-ready=yes]');
	const loaded = await page.evaluate(drawn);
	const times = [];

	for (let i = 0; move && i < SWEEP; i++)
		times.push(await page.evaluate(`(async () => {
			const before = performance.now();
			(${move})(${i});
			await new Promise(done => requestAnimationFrame(() =>
				setTimeout(done)));
			return performance.now() - before;
		})()`));
	times.sort((a, b) => a - b);
	console.log(`${view.padEnd(10)} loaded ${loaded.toFixed(0).padStart(6)}` +
		(move ? `   frame: median ${times[SWEEP / 2].toFixed(0)}, ` +
			`longest ${times[SWEEP - 1].toFixed(0)}` : ''));
	await page.close();
}
await browser.close();
