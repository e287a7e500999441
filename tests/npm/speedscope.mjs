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
// what each function has of a profile, and all threads together
const own = {
	ae: f => f.application_exclusive_ns,
	ee: f => f.elapsed_exclusive_ns,
	calls: f => f.calls,
};
const all = {
	ae: r => r.session.application_ns,
	ee: r => r.session.elapsed_ns,
	calls: r => r.functions.reduce((sum, f) => sum + f.calls, 0),
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
function rows(page) {
	return page.$$eval('tr', found => found
		.map(r => [...r.querySelectorAll('td')].map(c => c.innerText.trim()))
		.filter(r => r.length === 3 && r[1].includes('%'))
		.map(([, self, name]) => [name, self]));
}

// The percents are of the profile's weight; "<0.01%" and ">99%" are no numbers.
function checkPercent(text, n, total, where) {
	const [, digits, fraction] = /\((\d+)(\.\d+)?%\)$/.exec(text) || [];

	if (digits === undefined)
		return;
	assert(Math.abs(Number(digits + (fraction || '')) - 100 * n / total) <=
		0.51 * 10 ** -(fraction ? fraction.length - 1 : 0) + 1e-9,
		`${where}: ${text}, not ${n} of ${total}`);
}

// What a runtime did below a function is a row of its own.
const activities = new Set(['[jit]', '[gc]', '[native]']);

// Each function has what the report says, less what the runtime did below it;
// what is left of the total is in rows of processes: outside of functions.
function compare(shown, report, type, name) {
	const value = own[type] || (f => f.classes_exclusive[type]);
	const total = (all[type] || (r => r.session.classes[type]))(report);
	const sums = new Map();
	const roots = new Set(report.processes.map(p => p.name));
	const apart = shown.some(row => activities.has(row[0]));
	let outside = total, seen = 0, may = 0;

	for (const f of report.functions) {
		sums.set(f.name, (sums.get(f.name) || 0) + value(f));
		outside -= value(f);
		assert(!roots.has(f.name), `${name}: ${f.name} is a process, too`);
	}
	for (const [f, text] of shown) {
		const where = `${name}: ${type} of ${f}`;
		const [n, rounded] = number(text);

		if (sums.has(f)) {
			const off = sums.get(f) - n;

			assert(off >= -rounded && (apart || off <= rounded),
				`${where}: ${text}, not ${sums.get(f)}`);
			if (!apart)
				checkPercent(text, sums.get(f), total, where);
			// it is in a row of the runtime's
			outside += apart ? off : 0;
			may += apart ? rounded : 0;
			sums.delete(f);
			continue;
		}
		assert(roots.has(f) || activities.has(f),
			`${where}: not in the report, or twice`);
		checkPercent(text, n, total, where);
		seen += n;
		may += rounded;
	}
	for (const [f, n] of sums) {
		assert(n === 0 || apart, `${name}: ${type}: ${f} is not shown`);
		outside += n;
	}
	assert(Math.abs(seen - outside) <= may,
		`${name}: ${type}: ${seen} outside of functions, not ${outside}`);
}

// The page draws its table some frames after a key, header first: what is wrong
// is so only if it stays so.
async function until(holds) {
	const end = Date.now() + 20000;

	for (;;) {
		try {
			return await holds();
		} catch (e) {
			if (Date.now() > end)
				throw e;
		}
		await new Promise(next => setTimeout(next, 50));
	}
}

// A profile of each class that the report has time of; they are shown by name
// and number.
async function check(browser, name) {
	const report = JSON.parse(readFileSync(`${folder}/${name}.json`));
	const page = await load(browser,
		readFileSync(`${folder}/${name}.speedscope.json`), name);
	const classes = Object.keys(report.session.classes)
		.filter(c => report.session.classes[c]);
	const types = [];
	const count = classes.length + 3;

	for (let i = 1; i <= count; i++) {
		const type = await page.waitForFunction(
			t => new RegExp(`^(\\w+) \\(${t}\\)$`, 'm')
				.exec(document.body.innerText)?.[1],
			{timeout: 20000}, `${i}/${count}`);

		types.push(await type.jsonValue());
		await page.keyboard.press('3');
		await until(async () =>
			compare(await rows(page), report, types.at(-1), name));
		await page.keyboard.press('n');
	}
	assert.deepEqual(types.sort(), ['ae', 'ee', 'calls', ...classes].sort());
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
