// SPDX-License-Identifier: BSD-2-Clause
// Timelines. Each thread has a band of its classes, a row of its activities for
// the runtime, and its calls. Zoomed out, the bands show spans (exact sums);
// zoomed in, single slices.

const LABEL = 18, BAND = 22, DOES = 8, CALL = 15, GAP = 8;
const DEEPEST = 64;
// slices are drawn one by one from this width of a span on, in pixels
const SPAN_WIDE = 3;
const SLICES_MANY = 60000;

// A lane's columns as typed arrays. In the data, each start is relative to the
// one before.
function typedLane(lane) {
	const start = Float64Array.from(lane.start);
	const length = Float64Array.from(lane.length);

	for (let i = 1; i < start.length; i++)
		start[i] += start[i - 1];
	// a gap can lie over slices, so an item can end before one that begins
	// earlier: the latest end up to each item
	const until = start.map((at, i) => at + length[i]);

	for (let i = 1; i < until.length; i++)
		until[i] = Math.max(until[i], until[i - 1]);
	return {start, length, until, fn: lane.function, what: lane.what,
		class: lane.class, syscall: lane.syscall, waker: lane.waker};
}

// Splits the calls of a stack by depth. Calls of one depth do not overlap.
function byDepth(lane) {
	const counts = [];

	for (const depth of lane.what)
		counts[depth] = (counts[depth] || 0) + 1;
	const rows = Array.from(counts, n => ({n: 0, start: new Float64Array(n || 0),
		length: new Float64Array(n || 0), fn: new Int32Array(n || 0)}));

	for (let i = 0; i < lane.start.length; i++) {
		const row = rows[lane.what[i]];

		row.start[row.n] = lane.start[i];
		row.length[row.n] = lane.length[i];
		row.fn[row.n++] = lane.fn[i];
	}
	return rows;
}

// The first of `n` that is not before what is searched for.
function firstNot(isBefore, n, from) {
	let low = from || 0, high = n;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (isBefore(mid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// The first item that ends after `time`. Items without `until` do not overlap.
function firstAt(row, time, from) {
	const {until, start, length} = row;

	return firstNot(until ? i => until[i] <= time
		: i => start[i] + length[i] <= time, start.length, from);
}

// The first item that begins at `time` or later.
function firstFrom(row, time) {
	return firstNot(i => row.start[i] < time, row.start.length);
}

// The innermost item at `time`, which is drawn on top; -1: there is none.
function itemAt(row, time) {
	const first = firstAt(row, time);
	let i = firstNot(k => row.start[k] <= time, row.start.length) - 1;

	while (i >= first && row.start[i] + row.length[i] <= time)
		i--;
	return i < first ? -1 : i;
}

let timeline = null;

function timelineData() {
	if (timeline)
		return timeline;
	const d = data('times');
	// there can be more threads than a call can have arguments
	const end = d.threads.reduce((a, t) => Math.max(a, t.end_ns), 0);
	const start = d.threads.reduce((a, t) => Math.min(a, t.start_ns), end);
	const index = Object.fromEntries(classes.map((c, i) => [c.name, i]));
	const idle = ['sleep', 'event', 'poll', 'child'].map(c => index[c]);
	const threads = d.threads.map(t => {
		const spans = Object.entries(t.spans).map(([name, pairs]) => {
			const ns = new Float64Array(d.spans);

			for (let i = 0; i < pairs.length; i += 2)
				ns[pairs[i]] = pairs[i + 1];
			return [index[name], ns];
		});
		const sums = new Float64Array(classes.length);

		for (const [c, ns] of spans)
			sums[c] = ns.reduce((a, b) => a + b, 0);
		return {pid: t.pid, tid: t.tid, name: t.name, spans, sums,
			process: t.process, start: t.start_ns, end: t.end_ns,
			busy: sums.reduce((a, ns, c) =>
				a + (idle.includes(c) ? 0 : ns), 0),
			slices: null, does: null, stacks: [], open: false};
	});

	for (const lane of d.lanes) {
		const t = threads[lane.thread], typed = typedLane(lane);

		if (lane.kind === 'calls')
			t.stacks.push(byDepth(typed));
		else
			t[lane.kind] = typed;
	}
	threads.sort((a, b) => b.busy - a.busy || a.tid - b.tid);
	if (threads.length)
		threads[0].open = true;
	timeline = {start, end, threads, origin: d.origin_ns, span: d.span_ns,
		spans: d.spans, calls: d.calls, kept: d.kept,
		leftOut: d.left_out, shortest: d.shortest_ns,
		syscalls: d.syscalls, name: i => i < functions.name.length
			? functions.name[i]
			: d.more_functions[i - functions.name.length]};
	return timeline;
}

// A colour for each function: hues differ, lightness does not.
function callColour(fn) {
	return `hsl(${(fn * 137.5) % 360} 45% 72%)`;
}

function threadsView(main) {
	const d = timelineData();
	const whole = Math.max(d.end - d.start, 1);
	const given = key => Number(place.params.get(key));
	const view = {from: d.start, to: d.end};
	let current = 0, chosen = null, boxes = [];

	if (given('to') > given('from') && given('from') >= 0) {
		view.from = d.start + given('from');
		view.to = d.start + given('to');
	}
	const canvas = el('canvas', {tabIndex: 0, role: 'application',
		'aria-roledescription': 'timeline',
		'aria-label': 'Timelines of threads. Left and right move, plus ' +
			'and minus zoom, up and down choose a thread, Enter ' +
			'opens its calls, N and P step through them.'});
	const spacer = el('div');
	const box = el('div', {className: 'canvas'}, spacer, canvas);
	const details = el('p', {className: 'details', role: 'status',
		'aria-live': 'polite'});
	const range = el('span', {className: 'dim', role: 'status'});
	const open = el('a', {href: '#functions', hidden: true},
		'Callers and callees of the chosen function');
	const paint = painter(draw);

	spacer.style.position = 'absolute';
	spacer.style.width = '1px';
	canvas.style.position = 'sticky';
	canvas.style.top = '0';

	function heightOf(t) {
		const does = t.does ? DOES : 0;
		const deep = !t.open ? 0 : t.stacks.reduce((a, rows) =>
			a + Math.min(rows.length, DEEPEST) * CALL, 0);

		return LABEL + BAND + does + deep + GAP;
	}

	// Draws the shares of classes in a column of the band, stacked.
	function column(g, x, width, y, shares, all) {
		let top = y;

		for (const c of report.class_order) {
			const h = BAND * shares[c] / all;

			if (h <= 0)
				continue;
			g.fillStyle = classes[c].css;
			g.fillRect(x, top, width, h);
			top += h;
		}
	}

	function drawSpans(g, t, y, scale) {
		const shares = new Float64Array(classes.length);

		for (let i = 0; i < d.spans; i++) {
			const from = d.origin + i * d.span;
			const x = (Math.max(from, t.start) - view.from) * scale;
			const right = (Math.min(from + d.span, t.end) -
				view.from) * scale;
			let all = 0;

			if (right < 0 || right <= x || x > g.canvas.width)
				continue;
			for (const [c, ns] of t.spans) {
				shares[c] = Math.max(ns[i], 0);
				all += shares[c];
			}
			// whole pixels: no seams
			if (all)
				column(g, Math.round(x), Math.max(Math.round(right) -
					Math.round(x), 1), y, shares, all);
		}
	}

	// Draws slices one by one. Slices within one pixel share it by their
	// lengths.
	function drawSlices(g, t, y, scale, width) {
		const s = t.slices, shares = new Float64Array(classes.length);
		let pixel = -1, used = 0;
		const left = Math.max((t.start - view.from) * scale, 0);
		const right = Math.min((t.end - view.from) * scale, width);
		const app = classes.findIndex(c => c.name === 'app');

		function flush() {
			if (pixel < 0 || !used)
				return;
			shares[app] = Math.max(1 - used, 0);
			column(g, pixel, 1, y, shares, Math.max(used, 1));
			shares.fill(0);
			used = 0;
		}

		g.fillStyle = classes[app].css;
		g.fillRect(left, y, Math.max(right - left, 0), BAND);
		if (t.does)
			for (let i = 0; i < t.does.start.length &&
				t.does.start[i] < view.to; i++) {
				const kind = t.does.what[i];

				// activities nest: the inner ones come later
				// and are drawn on top
				if (kind > 1 || t.does.start[i] +
					t.does.length[i] < view.from)
					continue;
				g.fillStyle = classes[kind ? gcClass : jitClass].css;
				g.fillRect((t.does.start[i] - view.from) * scale,
					y, Math.max(t.does.length[i] * scale, 0.3),
					BAND);
			}
		if (!s)
			return;
		for (let i = firstAt(s, view.from); i < s.start.length &&
			s.start[i] < view.to; i++) {
			const x = (s.start[i] - view.from) * scale;
			const w = s.length[i] * scale;

			if (x + w <= 0)
				continue;
			if (w >= 1) {
				flush();
				pixel = -1;
				g.fillStyle = classes[s.class[i]].css;
				g.fillRect(x, y, w, BAND);
				continue;
			}
			const own = Math.floor(Math.max(x, 0));

			if (own !== pixel) {
				flush();
				pixel = own;
			}
			shares[s.class[i]] += w;
			used += w;
		}
		flush();
	}

	const jitClass = classes.findIndex(c => c.name === 'jit');
	const gcClass = classes.findIndex(c => c.name === 'gc');
	const suspendClass = classes.findIndex(c => c.name === 'suspend');

	function drawDoes(g, t, y, scale) {
		const does = t.does;

		for (let i = 0; i < does.start.length; i++) {
			const x = (does.start[i] - view.from) * scale;
			const c = [jitClass, gcClass, suspendClass][does.what[i]];

			if (does.start[i] + does.length[i] < view.from ||
				does.start[i] > view.to)
				continue;
			g.fillStyle = classes[c].css;
			g.fillRect(x, y, Math.max(does.length[i] * scale, 1),
				DOES - 2);
			boxes.push({x, y, w: Math.max(does.length[i] * scale, 1),
				h: DOES - 2, lane: does, i, t, does: true});
		}
	}

	// Draws calls. Of calls that share a pixel, only the first is drawn.
	function drawCalls(g, t, row, y, scale, width) {
		let i = firstAt(row, view.from);

		while (i < row.start.length && row.start[i] < view.to) {
			const x = Math.max((row.start[i] - view.from) * scale, 0);
			const right = Math.min((row.start[i] + row.length[i] -
				view.from) * scale, width);
			const w = Math.max(right - x - (right - x > 3 ? 0.5 : 0), 0.7);

			g.fillStyle = callColour(row.fn[i]);
			g.fillRect(x, y, w, CALL - 1);
			boxes.push({x, y, w, h: CALL - 1, lane: row, i, t});
			if (w > 20) {
				g.fillStyle = '#000';
				boxText(g, shown(shortName(d.name(row.fn[i]))),
					x, y + CALL / 2, w);
			}
			if (chosen && chosen.lane === row && chosen.i === i) {
				g.strokeStyle = theme().front;
				g.lineWidth = 2;
				g.strokeRect(x + 1, y + 1, Math.max(w - 2, 1),
					CALL - 3);
			}
			i = Math.max(i + 1, w < 1 ? firstAt(row, view.from +
				(Math.floor(x) + 1) / scale, i) : 0);
		}
	}

	function manySlices(t) {
		const s = t.slices;

		return s && firstFrom(s, view.to) - firstFrom(s, view.from) >
			SLICES_MANY;
	}

	function drawThread(g, t, i, y, scale, width, colours) {
		const wide = d.span * scale >= SPAN_WIDE;

		g.fillStyle = i === current ? colours.mark : colours.raised;
		g.fillRect(0, y, width, LABEL - 1);
		g.fillStyle = colours.front;
		boxText(g, shown(`${t.open ? '▾' : '▸'} ${t.name} (${t.tid}), busy ` +
			time(t.busy)), 0, y + LABEL / 2, width);
		boxes.push({x: 0, y, w: width, h: LABEL, label: true, t, k: i});
		y += LABEL;
		if (wide && !manySlices(t) || d.span === 0)
			drawSlices(g, t, y, scale, width);
		else
			drawSpans(g, t, y, scale);
		boxes.push({x: 0, y, w: width, h: BAND, band: true, t, k: i});
		y += BAND;
		if (t.does) {
			drawDoes(g, t, y, scale);
			y += DOES;
		}
		for (const rows of t.open ? t.stacks : [])
			for (const row of rows.slice(0, DEEPEST)) {
				drawCalls(g, t, row, y, scale, width);
				y += CALL;
			}
	}

	function draw() {
		const width = spacer.parentElement.clientWidth || 600;
		const heights = d.threads.map(heightOf);
		const all = heights.reduce((a, b) => a + b, 0);
		const seen = Math.max(Math.min(all,
			Math.round(window.innerHeight * 0.72)), 60);
		const g = sized(canvas, width, seen);
		const colours = theme();
		const scale = width / (view.to - view.from);
		let y = -box.scrollTop;

		spacer.style.height = all + 'px';
		g.fillStyle = colours.back;
		g.fillRect(0, 0, width, seen);
		g.font = FONT;
		g.textBaseline = 'middle';
		boxes = [];
		d.threads.forEach((t, i) => {
			if (y + heights[i] >= 0 && y < seen)
				drawThread(g, t, i, y, scale, width, colours);
			y += heights[i];
		});
		range.textContent = `${time(view.from - d.start)} to ` +
			`${time(view.to - d.start)} of ${time(whole)}`;
	}

	function show(from, to) {
		const least = 100;
		let length = Math.min(Math.max(to - from, least), whole);

		if (!(length > 0))
			length = whole;
		from = Math.max(d.start, Math.min(from, d.end - length));
		view.from = from;
		view.to = from + length;
		const all = length >= whole;

		go({from: all ? '' : Math.round(from - d.start),
			to: all ? '' : Math.round(view.to - d.start)}, true);
		paint();
	}

	function zoom(by, at) {
		const center = at === undefined ? (view.from + view.to) / 2 : at;

		show(center - (center - view.from) * by,
			center + (view.to - center) * by);
	}

	function describe(b, x) {
		const at = view.from + x * (view.to - view.from) /
			spacer.parentElement.clientWidth;

		if (b.lane && b.does)
			return `${b.t.name} (${b.t.tid}): ` +
				['JIT', 'GC', 'suspension'][b.lane.what[b.i]] +
				(b.lane.fn[b.i] >= 0 ? ' of ' + d.name(b.lane.fn[b.i])
					: '') +
				`, ${time(b.lane.length[b.i])}, at ` +
				time(b.lane.start[b.i] - d.start);
		if (b.lane)
			return `${d.name(b.lane.fn[b.i])}: ` +
				`${time(b.lane.length[b.i])}, at ` +
				`${time(b.lane.start[b.i] - d.start)}, on ` +
				`${b.t.name} (${b.t.tid})`;
		const s = b.t.slices, i = b.band && s ? itemAt(s, at) : -1;

		if (i >= 0)
			return `${b.t.name} (${b.t.tid}): ` +
				sliceText(s, i);
		return `${b.t.name} (${b.t.tid}) of ${b.t.process}: ` +
			classesText(b.t.sums);
	}

	function sliceText(s, i) {
		const call = d.syscalls[s.syscall[i]];
		const waker = s.waker[i];
		const by = d.threads.find(t => t.tid === waker);

		return `${classes[s.class[i]].name}, ${time(s.length[i])}, at ` +
			time(s.start[i] - d.start) +
			(call ? `, in ${call}` : '') +
			(waker ? `, woken by ${by ? by.name + ' ' : ''}(${waker})`
				: '') +
			(s.fn[i] >= 0 ? ` in ${d.name(s.fn[i])}` : '');
	}

	function find(event) {
		const r = canvas.getBoundingClientRect();
		const x = event.clientX - r.left, y = event.clientY - r.top;

		for (let i = boxes.length - 1; i >= 0; i--) {
			const b = boxes[i];

			if (x >= b.x && x <= b.x + b.w && y >= b.y &&
				y <= b.y + b.h)
				return [b, x];
		}
		return [null, x];
	}

	function choose(b, x) {
		chosen = b.lane && !b.does ? b : null;
		details.textContent = shown(describe(b, x));
		const fn = chosen ? chosen.lane.fn[chosen.i] : -1;

		open.hidden = fn < 0 || fn >= functions.name.length;
		open.href = link('functions', {select: fn});
		paint();
	}

	// Chooses the next or previous call at the depth of the chosen call, or
	// the first outermost call in view.
	function step(by) {
		const t = d.threads[current];
		const lane = chosen && chosen.t === t ? chosen.lane
			: t.stacks[0] && t.stacks[0][0];

		if (!lane)
			return;
		const i = chosen && chosen.lane === lane ? chosen.i + by
			: firstAt(lane, view.from);

		if (!(i >= 0 && i < lane.start.length))
			return;
		t.open = true;
		if (lane.start[i] > view.to || lane.start[i] < view.from) {
			const length = view.to - view.from;

			show(lane.start[i] - length / 4,
				lane.start[i] + 3 * length / 4);
		}
		choose({lane, i, t}, 0);
	}

	function pick(to) {
		current = Math.max(0, Math.min(to, d.threads.length - 1));
		const t = d.threads[current];
		const above = d.threads.slice(0, current).reduce((a, o) =>
			a + heightOf(o), 0);

		if (!t)
			return;
		if (above < box.scrollTop || above + LABEL + BAND >
			box.scrollTop + box.clientHeight)
			box.scrollTop = above;
		details.textContent = shown(describe({t}, 0));
		paint();
	}

	function toggle(k) {
		d.threads[k].open = !d.threads[k].open;
		pick(k);
	}

	const move = by => show(view.from + by * (view.to - view.from),
		view.to + by * (view.to - view.from));
	const keys = {
		ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
		'+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
		ArrowUp: () => pick(current - 1),
		ArrowDown: () => pick(current + 1),
		Enter: () => d.threads.length && toggle(current),
		Home: () => show(d.start, d.end), n: () => step(1),
		p: () => step(-1),
	};

	canvas.addEventListener('keydown', event => {
		if (!(event.key in keys) || event.ctrlKey || event.altKey)
			return;
		event.preventDefault();
		keys[event.key]();
	});
	canvas.addEventListener('mousemove', event => {
		if (drag)
			return;
		const [b, x] = find(event);

		if (b)
			details.textContent = shown(describe(b, x));
	});
	canvas.addEventListener('wheel', event => {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		const x = event.clientX - canvas.getBoundingClientRect().left;

		zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + x *
			(view.to - view.from) / canvas.clientWidth);
	}, {passive: false});
	let drag = null;

	canvas.addEventListener('pointerdown', event => {
		drag = {x: event.clientX, from: view.from, to: view.to,
			moved: false};
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointermove', event => {
		if (!drag || Math.abs(event.clientX - drag.x) < 4 && !drag.moved)
			return;
		drag.moved = true;
		const ns = (drag.x - event.clientX) * (drag.to - drag.from) /
			canvas.clientWidth;

		show(drag.from + ns, drag.to + ns);
	});
	canvas.addEventListener('pointerup', event => {
		const moved = drag && drag.moved;

		drag = null;
		if (moved)
			return;
		const [b, x] = find(event);

		if (b && b.k !== undefined)
			current = b.k;
		if (b && b.label)
			toggle(b.k);
		else if (b)
			choose(b, x);
	});
	canvas.addEventListener('dblclick', event => {
		const [b] = find(event);

		if (b && b.lane)
			show(b.lane.start[b.i] - 0.1 * b.lane.length[b.i],
				b.lane.start[b.i] + 1.1 * b.lane.length[b.i]);
	});
	box.addEventListener('scroll', paint);
	new ResizeObserver(paint).observe(box);

	const press = (text, use) => el('button', {type: 'button', onclick: use},
		text);

	main.append(el('h2', {}, 'Threads over time'),
		el('div', {className: 'bar'},
			press('Zoom in', () => zoom(0.5)),
			press('Zoom out', () => zoom(2)),
			press('All', () => show(d.start, d.end)),
			press('◀ Earlier', () => move(-0.5)),
			press('Later ▶', () => move(0.5)), range),
		legend(c => d.threads.some(t => t.sums[c])), details, box, open,
		el('p', {className: 'dim'}, (d.leftOut
			? `${count(d.leftOut)} calls and slices shorter than ` +
				`${time(d.shortest)} are not drawn one by one; ` +
				'the bands count them. ' : '') +
			'The narrow row below a band is JIT, GC and suspension. ' +
			'What the probes cost is in these times, unlike in the ' +
			'tables.'));
	if (d.threads.length)
		details.textContent = shown(describe({t: d.threads[0]}, 0));
	paint();
	return {show, draw, choose, data: d, view, boxes: () => boxes};
}
