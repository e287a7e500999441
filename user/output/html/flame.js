// SPDX-License-Identifier: BSD-2-Clause
// A flame graph on a canvas: callers above, callees below, each frame as wide
// as its value.

const FRAME = 18;
const DEPTH_MAX = 400;

// Links the children of each node in a list, the heaviest first.
function linkTree(parent, weight) {
	const n = parent.length;
	const first = new Int32Array(n).fill(-1);
	const next = new Int32Array(n).fill(-1);
	const order = new Int32Array(n).map((_, i) => i);

	order.sort((a, b) => weight[a] - weight[b] || b - a);
	for (const i of order) {
		if (parent[i] < 0)
			continue;
		next[i] = first[parent[i]];
		first[parent[i]] = i;
	}
	return {first, next};
}

// options: parent, weight, label, text: i => string on the frame,
// describe: i => string, paint: (g, i, x, y, width, height) => {},
// ink: i => colour, chosen: i => {}, zoom: node, zoomed: node => {},
// match: i => boolean or null.
function flameGraph(options) {
	const {parent} = options;
	let weight = options.weight, links = linkTree(parent, weight);
	let zoom = options.zoom || 0, selected = zoom, hovered = -1;
	let frames = []; // what is drawn: node, x, y, width
	let match = options.match;
	const canvas = el('canvas', {tabIndex: 0, role: 'application',
		'aria-roledescription': 'flame graph',
		'aria-label': options.label});
	const box = el('div', {className: 'canvas'}, canvas);
	const details = el('p', {className: 'details', role: 'status',
		'aria-live': 'polite'});
	const paint = painter(draw);

	function pathTo(node) {
		const out = [];

		for (let i = node; i >= 0; i = parent[i])
			out.unshift(i);
		return out;
	}

	// Lays out the nodes as boxes: the path to the zoomed node at full
	// width, and below it all nodes that are wide enough to be seen.
	function lay(width) {
		const path = pathTo(zoom);
		const out = path.map((node, depth) =>
			({node, x: 0, y: depth * FRAME, width}));
		const queue = [out[out.length - 1]];
		const scale = weight[zoom] ? width / weight[zoom] : 0;

		while (queue.length) {
			const at = queue.pop();
			let x = at.x;

			if (at.y / FRAME >= DEPTH_MAX)
				continue;
			for (let k = links.first[at.node]; k >= 0;
				k = links.next[k]) {
				const w = weight[k] * scale;

				if (w < 0.4)
					break; // the next ones are smaller
				const one = {node: k, x, y: at.y + FRAME, width: w};

				out.push(one);
				queue.push(one);
				x += w;
			}
		}
		return out;
	}

	function draw() {
		const width = box.clientWidth || 600;

		frames = lay(width);
		const height = frames.reduce((a, f) => Math.max(a, f.y), 0) + FRAME;
		const g = sized(canvas, width, height);
		const colours = theme();

		g.fillStyle = colours.back;
		g.fillRect(0, 0, width, height);
		g.font = FONT;
		g.textBaseline = 'middle';
		for (const f of frames) {
			const dim = match && !match(f.node);

			g.globalAlpha = dim ? 0.25 : 1;
			options.paint(g, f.node, f.x, f.y,
				Math.max(f.width - 0.5, 0.5), FRAME - 1);
			if (f.width > 20) {
				g.fillStyle = dim ? colours.front
					: options.ink(f.node);
				boxText(g, shown(options.text(f.node)), f.x,
					f.y + FRAME / 2, f.width);
			}
			g.globalAlpha = 1;
			if (f.node === selected || f.node === hovered) {
				g.strokeStyle = colours.front;
				g.lineWidth = f.node === selected ? 2 : 1;
				g.strokeRect(f.x + 1, f.y + 1,
					Math.max(f.width - 2, 1), FRAME - 3);
			}
		}
		canvas.dataset.frames = frames.length;
	}

	function at(event) {
		const r = canvas.getBoundingClientRect();
		const x = event.clientX - r.left;
		const y = event.clientY - r.top;

		return frames.find(f => y >= f.y && y < f.y + FRAME &&
			x >= f.x && x < f.x + Math.max(f.width, 1));
	}

	function select(node) {
		selected = node;
		details.textContent = shown(options.describe(node));
		if (options.chosen)
			options.chosen(node);
		const frame = frames.find(f => f.node === node);

		if (frame && frame.y < box.scrollTop)
			box.scrollTop = frame.y;
		else if (frame && frame.y + FRAME > box.scrollTop +
			box.clientHeight)
			box.scrollTop = frame.y + FRAME - box.clientHeight;
		paint();
	}

	function zoomTo(node) {
		zoom = node;
		select(node);
		if (options.zoomed)
			options.zoomed(node);
	}

	function sibling(step) {
		const row = frames.filter(f =>
			f.y === frames.find(o => o.node === selected)?.y)
			.sort((a, b) => a.x - b.x);
		const k = row.findIndex(f => f.node === selected) + step;

		if (row[k])
			select(row[k].node);
	}

	const keys = {
		ArrowUp: () => parent[selected] >= 0 && select(parent[selected]),
		ArrowDown: () => links.first[selected] >= 0 &&
			select(links.first[selected]),
		ArrowLeft: () => sibling(-1),
		ArrowRight: () => sibling(1),
		Enter: () => zoomTo(selected),
		Escape: () => zoomTo(0),
		Backspace: () => zoomTo(Math.max(parent[zoom], 0)),
		Home: () => zoomTo(0),
	};

	canvas.addEventListener('keydown', event => {
		if (!(event.key in keys) || event.ctrlKey || event.altKey)
			return;
		event.preventDefault();
		keys[event.key]();
	});
	canvas.addEventListener('click', event => {
		const f = at(event);

		if (f)
			zoomTo(f.node);
	});
	canvas.addEventListener('mousemove', event => {
		const f = at(event), node = f ? f.node : -1;

		if (node === hovered)
			return;
		hovered = node;
		details.textContent = shown(options.describe(
			node < 0 ? selected : node));
		paint();
	});
	canvas.addEventListener('mouseleave', () => {
		hovered = -1;
		paint();
	});
	new ResizeObserver(paint).observe(box);
	details.textContent = shown(options.describe(selected));
	return {
		element: el('div', {}, details, box),
		canvas,
		zoomTo,
		redraw: paint,
		setMatch(m) {
			match = m;
			paint();
		},
		setWeight(w) {
			weight = w;
			links = linkTree(parent, w);
			paint();
		},
		frames: () => frames,
	};
}

// The sum of the matches' values, without matches below another match.
function matchedValue(parent, weight, match) {
	const inside = new Uint8Array(parent.length);
	let sum = 0;

	for (let i = 0; i < parent.length; i++) {
		const above = parent[i] >= 0 && inside[parent[i]];

		if (!above && match(i))
			sum += weight[i];
		inside[i] = above || match(i) ? 1 : 0;
	}
	return sum;
}

// --- the call tree of a report ---

const values = [
	['ei', 'Elapsed Time'],
	['ai', 'Application Time'],
	['calls', 'Calls'],
];

let tree = null;

function callTree() {
	if (tree)
		return tree;
	const {nodes} = data('paths');
	const n = nodes.parent.length;

	tree = {parent: Int32Array.from(nodes.parent), fn: nodes.function,
		name: i => nodes.function[i] >= 0
			? functions.name[nodes.function[i]] : nodes.name[i],
		classes: nodes.classes, weights: {}, calls: nodes.calls};
	// a frame has the colour of the class with most of its time
	tree.most = new Uint8Array(n);
	for (let i = 0; i < n; i++) {
		const c = nodes.classes[i];
		let best = 0;

		for (let k = 0; k < c.length; k += 2)
			if (c[k + 1] > best) {
				best = c[k + 1];
				tree.most[i] = c[k];
			}
	}
	tree.weight = key => {
		if (tree.weights[key])
			return tree.weights[key];
		const w = new Float64Array(n);

		for (let i = n - 1; i >= 0; i--) {
			const c = nodes.classes[i];

			if (key === 'ei' || key === 'ai')
				w[i] = nodes[key][i];
			else if (key === 'calls')
				w[i] += nodes.calls[i];
			else
				for (let k = 0; k < c.length; k += 2)
					if (classes[c[k]].name === key)
						w[i] = c[k + 1];
			if (key === 'calls' && nodes.parent[i] >= 0)
				w[nodes.parent[i]] += w[i];
		}
		return tree.weights[key] = w;
	};
	return tree;
}

function flameView(main) {
	const t = callTree();
	const used = report.class_order.filter(c =>
		report.session.classes[classes[c].name]);
	const known = values.concat(used.map(c =>
		[classes[c].name, 'Time: ' + classes[c].name]));
	let value = place.params.get('value');
	const result = el('span', {className: 'dim', role: 'status'});

	if (!known.some(([v]) => v === value))
		value = 'ei';
	let zoom = Number(place.params.get('node')) | 0;

	if (zoom < 0 || zoom >= t.parent.length)
		zoom = 0;
	if (!t.parent.length) {
		main.append(el('p', {}, 'No calls were recorded.'));
		return {};
	}
	const graph = flameGraph({
		parent: t.parent, weight: t.weight(value), zoom,
		label: 'Flame graph. Arrow keys choose a frame, Enter zooms in, Escape out.',
		text: i => shortName(t.name(i)),
		ink: i => classes[t.most[i]].ink,
		describe: i => {
			const w = t.weight(value);

			return `${t.name(i)}: ${valueText(w[i], value)}, ` +
				`${percent(w[i], w[0])}; ` + (t.fn[i] >= 0
				? `called ${count(t.calls[i])} times here; `
				: '') + classesText(byClass(t.classes[i]));
		},
		paint: (g, i, x, y, width, height) => {
			g.fillStyle = classes[t.most[i]].css;
			g.fillRect(x, y, width, height);
			if (width < 8)
				return;
			const c = t.classes[i];
			let all = 0, left = x;

			for (let k = 1; k < c.length; k += 2)
				all += c[k];
			for (let k = 0; all && k < c.length; k += 2) {
				const part = width * c[k + 1] / all;

				g.fillStyle = classes[c[k]].css;
				g.fillRect(left, y + height - 3, part, 3);
				left += part;
			}
		},
		chosen: i => {
			open.hidden = t.fn[i] < 0;
			open.href = link('functions', {select: t.fn[i]});
		},
		zoomed: i => go({node: i || ''}, true),
	});
	const open = el('a', {href: '#functions', hidden: t.fn[zoom] < 0},
		'Callers and callees of the chosen function');

	open.href = link('functions', {select: t.fn[zoom]});
	function search(words) {
		const low = words.toLowerCase();
		const hits = low && functions.name.map(name =>
			name.toLowerCase().includes(low));
		const match = low ? i => t.fn[i] >= 0 ? hits[t.fn[i]]
			: t.name(i).toLowerCase().includes(low) : null;

		graph.setMatch(match);
		go({q: words}, true);
		if (!match) {
			result.textContent = '';
			return;
		}
		const w = t.weight(value);
		const sum = matchedValue(t.parent, w, match);

		result.textContent = `matches: ${valueText(sum, value)}, ` +
			percent(sum, w[0]);
	}

	const field = searchField('Search functions',
		place.params.get('q'), search);

	main.append(el('h2', {}, 'Flame graph'),
		el('div', {className: 'bar'},
			choice('Value', known, value, v => {
				value = v;
				graph.setWeight(t.weight(v));
				go({value: v === 'ei' ? '' : v}, true);
				search(field.value);
			}), field,
			el('button', {type: 'button',
				onclick: () => graph.zoomTo(0)}, 'Zoom out'),
			result),
		legend(c => used.includes(c)), graph.element, open);
	const left = data('paths').nodes_left_out;

	if (left)
		main.append(el('p', {className: 'dim'},
			`${count(left)} smaller paths are left out.`));
	if (field.value)
		search(field.value);
	graph.redraw();
	return {graph};
}
