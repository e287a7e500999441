// SPDX-License-Identifier: BSD-2-Clause
// page.mjs MODULES FOLDER: pages of the format html in headless Chromium. FOLDER
// has NAME.html and NAME.json, the report of the same records, and gets the
// screenshots. Says what is not as it should be, and exits with 1 then.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { launch, open } from './browser.mjs';

const [, , modules, folder] = process.argv;
const report = name =>
	JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'));
const browser = await launch(modules);
const VIEWS = ['findings', 'flame', 'threads', 'functions', 'waits'];
let checks = 0;

function same(got, want, what) {
	checks++;
	assert.deepEqual(got, want, what);
}

// Times as the page writes them; all here are short.
function time(ns) {
	if (ns < 1e3)
		return `${ns} ns`;
	return ns < 1e6 ? `${(ns / 1e3).toFixed(3)} µs`
		: `${(ns / 1e6).toFixed(3)} ms`;
}

async function visit(name, place, options) {
	const opened = await open(browser, `${folder}/${name}.html`,
		{place, ...options});

	await frame(opened.page);
	return opened;
}

// What was asked to be drawn is.
function frame(page) {
	return page.evaluate(() => new Promise(done =>
		requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function done({page, complaints}, shot) {
	if (shot)
		await page.screenshot({path: `${folder}/${shot}.png`});
	same(complaints, [], `complaints of ${shot || page.url()}`);
	await page.close();
}

const texts = (page, selector) =>
	page.$$eval(selector, all => all.map(e => e.textContent));
const text = (page, selector) => page.$eval(selector, e => e.textContent);
const hash = page => page.evaluate(() => decodeURIComponent(location.hash));

async function goTo(page, view) {
	await page.click(`nav a[data-view=${view}]`);
	await page.waitForSelector(`main[data-view=${view}]`);
	await frame(page);
}

async function search(page, words, until) {
	await page.click('input[type=search]', {clickCount: 3});
	await page.keyboard.type(words);
	await page.waitForFunction(until);
}

// The rows of the last table: what is in each of its cells.
function table(page) {
	return page.evaluate(() => {
		const t = [...document.querySelectorAll('table')].pop();

		return [...t.querySelectorAll('tbody tr')].map(tr =>
			[...tr.cells].map(td => td.textContent));
	});
}

async function findings() {
	const r = report('waits'), opened = await visit('waits');
	const {page} = opened, rows = await table(page);

	same(await texts(page, 'nav a'), ['Findings', 'Flame graph', 'Threads',
		'Functions', 'Waits'], 'views');
	same(await page.$eval('main', e => e.dataset.view), 'findings');
	assert.ok((await text(page, '#session')).includes(
		`Elapsed ${time(r.session.elapsed_ns)}, application ` +
		`${time(r.session.application_ns)}, `), 'sums of the session');
	same(rows.map(row => row.slice(0, 4)).sort(), r.threads.map(t =>
		[`${t.name} (${t.tid})`, time(t.elapsed_ns),
			time(t.application_ns), String(t.calls)]).sort(),
	'threads');
	await done(opened, 'findings');
}

async function functions() {
	const r = report('jit'), opened = await visit('jit', 'functions');
	const {page} = opened;
	const wanted = sort => r.functions.slice().sort(sort).map(f => [f.name,
		String(f.calls), time(f.elapsed_inclusive_ns),
		time(f.elapsed_exclusive_ns), time(f.application_inclusive_ns),
		time(f.application_exclusive_ns)]);
	const rows = async () => (await table(page)).map(row => row.slice(0, 6));
	const head = title => page.evaluate(wanted => {
		const th = [...document.querySelectorAll('th')].find(e =>
			e.textContent.startsWith(wanted));

		th.firstChild.click();
		return th.getAttribute('aria-sort');
	}, title);

	same(await rows(), wanted((a, b) => b.application_exclusive_ns -
		a.application_exclusive_ns), 'functions');
	same(await head('Elapsed Inclusive'), 'descending');
	same(await rows(), wanted((a, b) => b.elapsed_inclusive_ns -
		a.elapsed_inclusive_ns), 'sorted downwards');
	same(await head('Elapsed Inclusive'), 'ascending');
	same(await rows(), wanted((a, b) => a.elapsed_inclusive_ns -
		b.elapsed_inclusive_ns), 'sorted upwards');
	same(await hash(page), '#functions?sort=ei&up=1');
	await search(page, 'MAI', () => [...document.querySelectorAll('table')]
		.pop().querySelectorAll('tbody tr').length === 1);
	same((await rows()).map(row => row[0]), ['main'], 'filtered');
	await page.click('tbody button.name');
	await page.waitForSelector('#selected');
	same(await text(page, '#selected h2'), 'main', 'chosen');
	const tables = await page.$$eval('#selected table', all => all.map(t =>
		[...t.querySelectorAll('tbody tr')].map(tr =>
			[...tr.cells].map(td => td.textContent).slice(0, 3))));

	same(tables[0], [['(no traced function)', '1', '90 ns']], 'callers');
	same(tables[1], [['g', '1', '20 ns'], ['f', '1', '10 ns']], 'callees');
	same(await page.$eval('tr[aria-selected=true]', e => e.cells[0]
		.textContent), 'main', 'its row');
	// to a callee, and back
	await page.evaluate(() => [...document.querySelectorAll(
		'#selected button.name')].find(b => b.textContent === 'g').click());
	await page.waitForFunction(() =>
		document.querySelector('#selected h2').textContent === 'g');
	await page.goBack();
	await page.waitForFunction(() =>
		document.querySelector('#selected h2').textContent === 'main');
	await done(opened, 'functions');
}

// Of functions with calls whose end was not seen, no time is certain.
async function uncertain() {
	const opened = await visit('unwind-sp', 'functions');
	const mark = f => Math.min(f.calls - f.finished, f.unwound) > 0 ? '~' : '';
	const wanted = report('unwind-sp').functions.map(f => [f.name,
		...[f.elapsed_inclusive_ns, f.elapsed_exclusive_ns,
			f.application_inclusive_ns, f.application_exclusive_ns]
			.map(ns => mark(f) + time(ns)),
		...[f.min_ns, f.max_ns].map(ns => f.finished ? time(ns) : '')])
		.sort();

	same(wanted.map(row => row[1][0] === '~'), [true, true, false, false]);
	same((await table(opened.page)).map(row => [row[0], ...row.slice(2, 8)])
		.sort(), wanted, 'uncertain times');
	assert.ok((await text(opened.page, 'main')).includes('~: can be wrong'));
	await done(opened);
}

async function flame() {
	const r = report('jit'), opened = await visit('jit', 'flame');
	const {page} = opened, details = () => text(page, '.details');
	const frames = () => page.$eval('canvas', e => Number(e.dataset.frames));

	// session, app, main, g with [jit], [jit], f, [gc]
	same(await frames(), 8, 'frames');
	assert.ok((await details()).startsWith(
		`session: ${time(r.session.elapsed_ns)}, 100.0 %`), 'the root');
	await page.focus('canvas');
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown'])
		await page.keyboard.press(key);
	assert.match(await details(), /^g: 20 ns, 14\.3 %; called 1 times here; /);
	await page.keyboard.press('ArrowRight');
	assert.match(await details(), /^\[jit\]: 20 ns, /);
	await page.keyboard.press('ArrowRight');
	assert.match(await details(), /^f: 10 ns, /);
	await page.keyboard.press('Enter');
	await frame(page);
	same(await hash(page), '#flame?node=6');
	same(await frames(), 4, 'g is not below f');
	await page.keyboard.press('Escape');
	await frame(page);
	same([await frames(), await hash(page)], [8, '#flame'], 'zoomed out');
	// a click into the box of a frame
	const at = await page.evaluate(() => {
		const c = document.querySelector('canvas').getBoundingClientRect();
		const f = window.gnomonPage.view.graph.frames().find(o =>
			o.node === 3);

		return [c.left + f.x + f.width / 2, c.top + f.y + 5];
	});

	await page.mouse.click(...at);
	await frame(page);
	assert.match(await details(), /^g: 20 ns, /);
	same(await hash(page), '#flame?node=3', 'zoomed by a click');
	assert.match(await page.$eval('main > a', e => e.href),
		/#functions\?select=\d+$/);
	await page.keyboard.press('Escape');
	await search(page, 'f', () => [...document.querySelectorAll('.bar .dim')]
		.some(e => e.textContent));
	same(await text(page, '.bar .dim'), 'matches: 10 ns, 7.1 %', 'search');
	await page.select('select', 'ai');
	await frame(page);
	await page.focus('canvas');
	await page.keyboard.press('Escape');
	await frame(page);
	assert.ok((await details()).startsWith(
		`session: ${time(r.session.application_ns)}, `), 'value');
	same(await text(page, '.bar .dim'), 'matches: 10 ns, 7.4 %');
	await page.select('select', 'gc');
	await frame(page);
	// session, app, main, [gc]
	same(await frames(), 4, 'frames with a value');
	await done(opened, 'flame');
}

async function threads() {
	const r = report('jit'), opened = await visit('jit', 'threads');
	const {page} = opened, details = () => text(page, '.details');
	const range = () => text(page, '.bar .dim');
	const boxes = () => page.evaluate(() => window.gnomonPage.view.boxes()
		.filter(b => b.lane).map(b => ({does: !!b.does, x: b.x + b.w / 20,
			y: b.y + b.h / 2})));
	const all = `0 ns to ${time(r.session.wall_ns)} of ` +
		time(r.session.wall_ns);

	same(await range(), all, 'all of it');
	let drawn = await boxes();

	// main, f, g; two compilations, a collection, a suspension
	same([drawn.filter(b => !b.does).length, drawn.filter(b => b.does).length],
		[3, 4], 'calls and activities');
	const corner = await page.$eval('canvas', e => {
		const c = e.getBoundingClientRect();

		return [c.left, c.top];
	});
	const told = [];

	for (const b of drawn.filter(one => one.does)) {
		await page.mouse.click(corner[0] + b.x, corner[1] + b.y);
		told.push((await details()).replace(/^.*?: /, ''));
	}
	same(told.sort(), ['GC, 10 ns, at 30 ns', 'JIT of f, 10 ns, at 90 ns',
		'JIT of f, 30 ns, at 20 ns', 'suspension, 10 ns, at 110 ns'].sort(),
	'activities');
	await page.focus('canvas');
	await page.keyboard.press('n');
	assert.match(await details(), /^main: 90 ns, at 10 ns, on app \(1\)/);
	await page.keyboard.press('+');
	await frame(page);
	assert.notEqual(await range(), all);
	assert.match(await hash(page), /^#threads\?from=\d+&to=\d+$/);
	await page.keyboard.press('Home');
	await page.keyboard.press('Enter'); // closes the calls
	await frame(page);
	drawn = await boxes();
	same([await range(), drawn.filter(b => !b.does).length], [all, 0],
		'closed');
	await page.keyboard.press('Enter');
	await frame(page);
	await done(opened, 'threads');
}

// Replaces what the page knows of its timelines, before it shows them.
async function setTimes(page, times) {
	await page.evaluate(given => {
		const e = document.getElementById('times');
		const changed = document.createElement('pre');

		// the page's policy lets nobody write to a script
		changed.id = e.id;
		changed.hidden = true;
		changed.textContent = given;
		e.replaceWith(changed);
	}, JSON.stringify(times));
}

const timesOf = async page =>
	JSON.parse(await page.$eval('#times', e => e.textContent));

// The number that the page gives a class.
function classOf(name) {
	const html = readFileSync(`${folder}/jit.html`, 'utf8');
	const [, model] = html.match(/ id="model">(.*?)<\/script>/s);

	return JSON.parse(model).class_list.findIndex(c => c.name === name);
}

// Where in the first band of a thread time `at` is, and its colour there.
function inBand(page, at) {
	return page.evaluate(time => {
		const shown = document.querySelector('canvas');
		const {left, top, width} = shown.getBoundingClientRect();
		const {view, data, boxes} = window.gnomonPage.view;
		const y = boxes().find(b => b.band).y + 5;
		const x = Math.round((data.start + time - view.from) * width /
			(view.to - view.from));
		const copy = document.createElement('canvas');
		const g = copy.getContext('2d');

		copy.width = shown.width;
		copy.height = shown.height;
		g.drawImage(shown, 0, 0);
		return {x: left + x, y: top + y,
			colour: [...g.getImageData(x, y, 1, 1).data].join()};
	}, at);
}

// Records were lost for a time, in which the thread slept all the same: 50 times
// for a microsecond. Zoomed in anywhere, the gap is there between these.
async function gap() {
	const opened = await visit('jit', 'flame'), {page} = opened;
	const times = await timesOf(page), [t] = times.threads;
	const slices = [...Array(51).keys()], colours = [];
	const lost = 'unclassified, 600.000 µs, at 100.000 µs';

	times.threads = [{...t, end_ns: t.start_ns + 1e6, spans: {}}];
	times.origin_ns = t.start_ns;
	times.span_ns = 1e6 / times.spans;
	times.lanes = [{thread: 0, kind: 'slices', stack: 0,
		start: slices.map(i => i ? 10e3 : t.start_ns + 100e3),
		length: slices.map(i => i ? 1e3 : 600e3),
		class: slices.map(i => classOf(i ? 'sleep' : 'unclassified')),
		function: slices.map(() => -1), syscall: slices.map(() => 65535),
		waker: slices.map(() => 0)}];
	await setTimes(page, times);
	for (const [at, told] of [[605000, lost], [699000, lost],
		[600500, 'sleep, 1.000 µs, at 600.000 µs'], [750000, null]]) {
		await goTo(page, 'flame');
		await page.evaluate(to => {
			location.hash = to;
		}, `#threads?from=${at - 200}&to=${at + 200}`);
		await page.waitForSelector('main[data-view=threads]');
		await frame(page);
		const {x, y, colour} = await inBand(page, at);

		await page.mouse.move(x, y);
		if (told)
			same((await text(page, '.details')).replace(/^.*?: /, ''),
				told, 'what it is');
		colours.push(colour);
	}
	same(colours[0], colours[1], 'the gap');
	same(new Set(colours).size, 3, 'the gap, a sleep, and neither');
	await done(opened);
}

// More threads than a call can have arguments.
async function manyThreads() {
	const opened = await visit('jit', 'flame'), {page} = opened;
	const times = await timesOf(page), [t] = times.threads, more = 200000;

	for (let i = 0; i < more; i++)
		times.threads.push({...t, tid: 1000 + i, spans: {}});
	times.threads[more].end_ns += 1000;
	await setTimes(page, times);
	const ends = times.threads[more].end_ns - t.start_ns;

	await goTo(page, 'threads');
	same(await text(page, '.bar .dim'),
		`0 ns to ${time(ends)} of ${time(ends)}`, 'all threads');
	await done(opened);
}

async function waits() {
	const r = report('waits'), opened = await visit('waits', 'waits');
	const {page} = opened;
	const told = [...r.waits.map(w => ['(outside of any function)', w]),
		...r.functions.flatMap(f => f.waits.map(w => [f.name, w]))];
	const wanted = told.sort((a, b) => b[1].time_ns - a[1].time_ns)
		.map(([name, w]) => [name, w.class, time(w.time_ns),
			String(w.count), time(w.longest_ns), !w.waker ? ''
				: `${w.waker.name || 'not traced'} (${w.waker.tid})` +
				(w.waker.function ? ` in ${w.waker.function}` : '')]);
	const rows = async () => (await table(page)).map(row =>
		[row[0], row[1], ...row.slice(3)]);

	assert.ok(wanted.some(w => / in /.test(w[5])), 'a waker in a function');
	same((await rows()).map(String).sort(), wanted.map(String).sort(), 'waits');
	same((await rows()).map(row => row[2]), wanted.map(w => w[2]), 'in order');
	await search(page, 'lock', () => /of/.test(
		document.querySelector('caption').textContent));
	same((await rows()).length, wanted.filter(w => w[1] === 'lock' ||
		/lock/.test(w.join())).length, 'filtered');
	await done(opened, 'waits');
}

// Each view: names of controls, no wider than the screen; on a small one, dark.
async function everyView() {
	const opened = await visit('waits', '', {width: 360, theme: 'dark'});
	const {page} = opened;

	same(await page.evaluate(() => getComputedStyle(
		document.documentElement).backgroundColor), 'rgb(22, 24, 27)', 'dark');
	for (const view of VIEWS) {
		await goTo(page, view);
		same(await page.evaluate(() =>
			document.documentElement.scrollWidth), 360, `${view} is wide`);
		same(await page.$$eval('a, button, select, input, canvas', all => all
			.filter(e => !e.hidden && !e.textContent.trim() &&
				!e.getAttribute('aria-label'))
			.map(e => e.outerHTML)), [], 'without a name');
		same(await text(page, 'nav a[aria-current]'),
			await text(page, '#status'), 'the view is told');
		await page.screenshot({path: `${folder}/small-${view}.png`});
	}
	await page.keyboard.press('Tab');
	await done(opened);
}

// Names that would be markup, or that would turn the text.
async function hostile() {
	const r = report('hostile'), opened = await visit('hostile', 'functions');
	const {page} = opened;
	const shown = name => name.replace(
		/[\u0000-\u001f\u007f-\u009f\u202e]/g, c =>
			`\\u{${c.codePointAt(0).toString(16)}}`);
	const names = r.functions.map(f => shown(f.name)).sort();

	assert.ok(names.includes('</script>') &&
		names.some(n => n.includes('onerror')), 'the names are hostile');
	same((await table(page)).map(row => row[0]).sort(), names, 'names');
	for (const view of VIEWS) {
		await goTo(page, view);
		same(await page.$$eval('img, iframe, svg, link, object', e =>
			e.length), 0, 'elements made of names');
	}
	for (let i = 0; i < r.functions.length; i++) {
		await page.evaluate(to => {
			location.hash = to;
		}, `#functions?select=${i}`);
		await page.waitForSelector('#selected');
	}
	await done(opened, 'hostile');
}

// Where the source of a function is, if that is known.
async function sources() {
	const r = report('sources'), opened = await visit('sources', 'functions');
	const {page} = opened;

	for (let i = 0; i < r.functions.length; i++) {
		const {name, file, line} = r.functions[i];

		await page.evaluate(wanted => [...document.querySelectorAll(
			'tbody button.name')].find(b =>
			b.textContent === wanted).click(), name);
		await page.waitForFunction(wanted => document.querySelector(
			'#selected h2')?.textContent === wanted, {}, name);
		same((await texts(page, '#selected p')).filter(p =>
			p.startsWith('Source')),
		file ? [`Source: ${file}:${line}`] : [], `source of ${name}`);
	}
	await done(opened, 'sources');
}

// Two builds: tables of what changed, and a flame graph of both.
async function diff() {
	const r = report('diff'), opened = await visit('diff', 'changes');
	const {page} = opened;
	const rows = (await page.$$eval('table', all => [...all[0].querySelectorAll(
		'tbody tr')].map(tr => [...tr.cells].map(td => td.textContent))));

	same(rows, r.functions.slice().sort((a, b) => Math.abs(
		b.application_exclusive_ns.new - b.application_exclusive_ns.base) -
		Math.abs(a.application_exclusive_ns.new -
		a.application_exclusive_ns.base)).map(f => {
		const {base, new: now} = f.application_exclusive_ns;

		return [f.name, time(base), time(now), (now > base ? '+' : '') +
			`${now - base} ns`, f.state === 'both' ? '' : f.state,
		f.module];
	}), 'changes');
	assert.match(await text(page, '#total'),
		/^Application 120 ns to 170 ns \(\+50 ns\); elapsed 120 ns to 170 ns/);
	await goTo(page, 'flame');
	const frames = () => page.$eval('canvas', e => Number(e.dataset.frames));
	const colours = () => page.evaluate(() => {
		const shown = document.querySelector('canvas');
		const copy = document.createElement('canvas');
		const g = copy.getContext('2d', {willReadFrequently: true});

		copy.width = shown.width;
		copy.height = shown.height;
		g.drawImage(shown, 0, 0);
		return window.gnomonPage.view.graph.frames().filter(f => f.width > 2)
			.map(f => [...g.getImageData(f.x + f.width - 3, f.y + 3, 1, 1)
				.data].slice(0, 3));
	});

	// gone has no width
	same(await frames(), 7, 'frames');
	assert.ok((await colours()).every(([r, , b]) => r >= b), 'nothing shrank');
	await page.focus('canvas');
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown'])
		await page.keyboard.press(key);
	same(await text(page, '.details'),
		'slower: base 20 ns, new 60 ns, +40 ns (+200.0 %)', 'a frame');
	await page.select('select[aria-label=Width]', 'base');
	await frame(page);
	// gone is there, fresh is not
	same(await frames(), 7, 'frames of the base');
	assert.ok((await colours()).some(([r, , b]) => r < b), 'gone is blue');
	same(await hash(page), '#flame?width=base');
	await done(opened, 'diff');
}

// The policy holds: what a mistake of the page would do is refused.
async function policy() {
	const {page, complaints} = await visit('basic');

	same(await page.evaluate(async () => {
		const out = [];

		try {
			document.body.innerHTML = '<b>x</b>';
		} catch (e) {
			out.push(e.name);
		}
		try {
			await fetch('http://127.0.0.1:9/');
		} catch (e) {
			out.push(e.name);
		}
		document.addEventListener('securitypolicyviolation', e =>
			out.push(e.violatedDirective));
		const script = document.createElement('script');

		try {
			script.textContent = 'window.broken = 1';
			document.body.append(script);
		} catch (e) {
			out.push(e.name);
		}
		return [...out, window.broken ?? null];
	}), ['TypeError', 'TypeError', 'TypeError', null], 'policy');
	assert.ok(complaints.length > 1);
	await page.close();
}

try {
	for (const one of [findings, functions, uncertain, flame, threads,
		gap, manyThreads, waits, everyView, hostile, sources, diff, policy])
		await one();
	console.log(`${checks} checks`);
} catch (e) {
	console.log(e.message.slice(0, 4000));
	console.log(e.stack.split('\n').filter(l => /page\.mjs/.test(l)).join('\n'));
	process.exitCode = 1;
} finally {
	await browser.close();
}
