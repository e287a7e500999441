// SPDX-License-Identifier: BSD-2-Clause
// Helpers for all views. Names come from the traced program: they become text
// on the page, never markup, and invisible characters in them are written out.

function byId(id) {
	return document.getElementById(id);
}

// Makes an element with children, which are texts or elements. `props` are its
// event listeners (on...), its attributes (a name with a dash, or of no
// property) and its properties.
function el(tag, props, ...children) {
	const e = document.createElement(tag);

	for (const [key, value] of Object.entries(props || {})) {
		if (value === undefined || value === null)
			continue;
		if (key.startsWith('on'))
			e.addEventListener(key.slice(2), value);
		else if (key.includes('-') || key === 'role' || key === 'for' ||
			key === 'list')
			e.setAttribute(key, value);
		else
			e[key] = value;
	}
	e.append(...children.map(c => typeof c === 'string' ? shown(c) : c));
	return e;
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function shown(text) {
	return text.replace(HIDDEN, c =>
		'\\u{' + c.codePointAt(0).toString(16) + '}');
}

const datas = {};

// The data element `id`, parsed on first use; null: there is none.
function data(id) {
	if (!(id in datas)) {
		const e = byId(id);

		datas[id] = e ? JSON.parse(e.textContent) : null;
		if (e)
			e.remove();
	}
	return datas[id];
}

const number = new Intl.NumberFormat('en-US');

function count(n) {
	return number.format(n);
}

// 12.345 ms
function time(ns) {
	const a = Math.abs(ns);

	if (a < 1e3)
		return Math.round(ns) + ' ns';
	if (a < 1e6)
		return (ns / 1e3).toFixed(3) + ' µs';
	if (a < 1e9)
		return (ns / 1e6).toFixed(3) + ' ms';
	return (ns / 1e9).toFixed(3) + ' s';
}

function percent(part, whole) {
	return (whole ? 100 * part / whole : 0).toFixed(1) + ' %';
}

function valueText(value, kind) {
	return kind === 'calls' ? count(value) + ' calls' : time(value);
}

// The classes' colours are of the 256 of terminals. Returns the RGB of one.
function terminalColour(n) {
	const level = v => v ? 55 + 40 * v : 0;

	if (n >= 232)
		return [0, 1, 2].map(() => 8 + 10 * (n - 232));
	n -= 16;
	return [Math.floor(n / 36), Math.floor(n / 6) % 6, n % 6].map(level);
}

function css(rgb) {
	return 'rgb(' + rgb.join(',') + ')';
}

// Black or white, whichever is readable on the colour.
function inkOn(rgb) {
	return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 120
		? '#000' : '#fff';
}

const report = data('model');
const classes = report.class_list;

for (const c of classes) {
	// slightly greyer: a page has larger areas of it than a terminal
	const rgb = terminalColour(c.colour).map(v => Math.round(34 + 0.8 * v));

	c.css = css(rgb);
	c.ink = inkOn(rgb);
}

function legend(used) {
	return el('ul', {className: 'legend', 'aria-label': 'Colours of classes'},
		...report.class_order.filter(c => used(c)).map(c => {
			const swatch = el('span', {className: 'swatch'});

			swatch.style.background = classes[c].css;
			return el('li', {}, swatch, classes[c].help
				? `${classes[c].name} (${classes[c].help})`
				: classes[c].name);
		}));
}

// [class, ns, class, ns, ...] as an array by class.
function byClass(pairs) {
	const out = new Float64Array(classes.length);

	for (let i = 0; i < pairs.length; i += 2)
		out[pairs[i]] = pairs[i + 1];
	return out;
}

// "app 70.100 ms (70.1 %), lock 20.000 ms (20.0 %)"
function classesText(ns) {
	const all = ns.reduce((a, b) => a + b, 0);

	return report.class_order.filter(c => ns[c] > 0)
		.sort((a, b) => ns[b] - ns[a])
		.map(c => `${classes[c].name} ${time(ns[c])} (${percent(ns[c], all)})`)
		.join(', ');
}

// The URL's fragment holds the place in the page: #VIEW?key=value&...
const place = {view: '', params: new URLSearchParams()};

function readPlace() {
	const [view, query] = location.hash.slice(1).split('?');

	place.view = view;
	place.params = new URLSearchParams(query || '');
}

function link(view, params) {
	const query = new URLSearchParams(params || {}).toString();

	return '#' + view + (query ? '?' + query : '');
}

// Changes parameters of this view; an empty value removes one. `quietly`:
// without a new entry in the history.
function go(changes, quietly) {
	for (const [key, value] of Object.entries(changes))
		if (value === '' || value === null || value === undefined)
			place.params.delete(key);
		else
			place.params.set(key, value);
	const to = link(place.view, place.params);

	if (quietly)
		history.replaceState(null, '', to);
	else if (to !== location.hash)
		location.hash = to;
}

function say(text) {
	byId('status').textContent = shown(text);
}

// Returns a function that asks for a draw before the next frame. Several
// requests cause one draw.
function painter(draw) {
	let asked = false;

	return () => {
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			draw();
		});
	};
}

// Sizes a canvas in CSS pixels, sharp on dense screens. Returns its context.
function sized(canvas, width, height) {
	const ratio = Math.min(window.devicePixelRatio || 1, 2);

	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	const g = canvas.getContext('2d', {alpha: false});

	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	return g;
}

function theme() {
	const style = getComputedStyle(document.documentElement);
	const of = name => style.getPropertyValue(name).trim();

	return {back: of('--back'), front: of('--front'), dim: of('--dim'),
		line: of('--line'), raised: of('--raised'), mark: of('--mark')};
}

// Draws a text in a box of a canvas, cut to its width. All letters have one
// width.
const LETTER = 6.7;
const FONT = '11px ui-monospace, monospace';

function boxText(g, text, x, y, width) {
	const room = Math.floor((width - 6) / LETTER);

	if (room < 2)
		return;
	if (text.length > room)
		text = text.slice(0, room - 1) + '…';
	g.fillText(text, x + 3, y);
}

const functions = report.functions;

function functionName(i) {
	return i < 0 ? '(outside of any function)' : functions.name[i];
}

// The last type and the method's name: without parameters, type arguments and
// namespaces.
function shortName(name) {
	const paren = name.indexOf('(', 1);
	const head = paren > 0 ? name.slice(0, paren) : name;
	const plain = head.replace(/<[^<>]*>|\[[^[\]]*\]/g, '');
	const parts = plain.split(/::|\.(?=[^.])/);

	return parts.slice(-2).join('.') || name;
}
