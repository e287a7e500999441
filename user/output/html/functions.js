// SPDX-License-Identifier: BSD-2-Clause
// The table of functions, callers and callees of the chosen function, and
// waits.

let edges = null;

// Finds edges by caller and by callee, as offsets in the flat list.
function edgeIndex() {
	if (edges)
		return edges;
	const flat = data('paths').edges;
	const n = functions.name.length;
	const group = side => {
		const first = new Uint32Array(n + 1);

		for (let i = side; i < flat.length; i += 5)
			if (flat[i] >= 0)
				first[flat[i] + 1]++;
		for (let i = 0; i < n; i++)
			first[i + 1] += first[i];
		const at = first.slice(), list = new Uint32Array(first[n]);

		for (let i = side; i < flat.length; i += 5)
			if (flat[i] >= 0)
				list[at[flat[i]]++] = i - side;
		return f => Array.from(list.subarray(first[f], first[f + 1]));
	};

	return edges = {flat, callees: group(0), callers: group(1)};
}

function numberColumn(key, title, value, text, help) {
	return {key, title, value, text: i => text(value(i)), help};
}

// The bits of functions.marks for uncertain times, and for no finished call.
const UNCERTAIN = {ei: 8, ee: 16, ai: 32, ae: 64};
const NONE_ENDED = 128;
const UNCERTAIN_TEXT = '~: can be wrong by more than a tenth, for the cost of ' +
	'probes, or for calls without an end or that moved to other threads.';

function timeColumns() {
	const of = (key, title) => ({key, title,
		value: i => functions[key][i],
		text: i => (functions.marks[i] & UNCERTAIN[key] ? '~' : '') +
			time(functions[key][i])});

	return [of('ei', 'Elapsed Inclusive'),
		of('ee', 'Elapsed Exclusive'),
		of('ai', 'Application Inclusive'),
		of('ae', 'Application Exclusive')];
}

const ended = i => !(functions.marks[i] & NONE_ENDED);

function callColumn(key, title, help) {
	return {key, title, help, value: i => functions[key][i],
		text: i => ended(i) ? time(functions[key][i]) : ''};
}

function moduleName(i) {
	const path = functions.modules[functions.module[i]];

	return path.slice(path.lastIndexOf('/') + 1);
}

function classColumns() {
	const used = report.class_order.filter(c =>
		report.session.classes[classes[c].name]);
	const found = new Map();
	const of = c => {
		if (!found.has(c)) {
			const ns = new Float64Array(functions.name.length);

			functions.classes.forEach((pairs, i) => {
				for (let k = 0; k < pairs.length; k += 2)
					if (pairs[k] === c)
						ns[i] = pairs[k + 1];
			});
			found.set(c, ns);
		}
		return found.get(c);
	};

	return used.map(c => numberColumn(classes[c].name, classes[c].name,
		i => of(c)[i], ns => ns ? time(ns) : '', classes[c].help));
}

function matches(text, words) {
	const low = text.toLowerCase();

	return words.toLowerCase().split(/\s+/).every(w => low.includes(w));
}

function edgeTable(label, list, other, side) {
	const {flat} = edgeIndex();
	const at = (i, k) => flat[list[i] + k];
	const open = i => other(i) >= 0 && (() => go({select: other(i)}));

	return makeTable([
		{key: 'name', title: side, left: true, open,
			text: i => other(i) < 0 ? '(no traced function)'
				: functions.name[other(i)]},
		numberColumn('calls', 'Calls', i => at(i, 2), count),
		numberColumn('ei', 'Elapsed Inclusive', i => at(i, 3), time),
		numberColumn('ai', 'Application Inclusive', i => at(i, 4), time),
	], {rows: list.length, label, sort: 'ei'}).element;
}

function waitTable(rows, label) {
	const of = k => i => rows[i][k];
	const waker = i => {
		const [, , , , , , tid, name, fn] = rows[i];

		if (!tid)
			return '';
		return `${name || 'not traced'} (${tid})` +
			(fn >= 0 ? ` in ${functions.name[fn]}` : '');
	};
	const reason = i => (typeof rows[i][5] === 'number'
		? `system call ${rows[i][5]}` : rows[i][5]) +
		(rows[i][9] ? ' (idle worker)' : '');
	const go_to = i => rows[i][0] >= 0 && (() => {
		location.hash = link('functions', {select: rows[i][0]});
	});
	const className = i => classes[rows[i][1]].name;

	return makeTable([
		{key: 'function', title: 'Function', left: true, open: go_to,
			text: i => functionName(rows[i][0])},
		{key: 'class', title: 'Class', left: true, text: className},
		{key: 'reason', title: 'In', left: true, text: reason},
		numberColumn('time', 'Time', of(2), time),
		numberColumn('count', 'Count', of(3), count),
		numberColumn('longest', 'Longest', of(4), time),
		{key: 'waker', title: 'Woken by', left: true, text: waker},
	], {rows: rows.length, label, sort: 'time', filter: (i, words) =>
		matches([functionName(rows[i][0]), className(i), reason(i),
			waker(i)].join(' '), words)});
}

function composition(ns) {
	const all = ns.reduce((a, b) => a + b, 0);
	const canvas = el('canvas', {className: 'composition', role: 'img',
		'aria-label': classesText(ns), width: 1000, height: 1});
	const g = canvas.getContext('2d');
	let x = 0;

	for (const c of report.class_order) {
		const w = all ? 1000 * ns[c] / all : 0;

		g.fillStyle = classes[c].css;
		g.fillRect(x, 0, w, 1);
		x += w;
	}
	return canvas;
}

const MARKS = [[1, 'Its probes were taken away: later calls are not counted.'],
	[2, 'Calls before its probes were in place are missing.'],
	[4, 'It was open while records were lost.'],
	[256, 'The compiler may have copied it into callers: calls there ' +
		'are missing, and their time is the callers\'.']];

function selectedPanel(i) {
	const {callers, callees, flat} = edgeIndex();
	const up = callers(i), down = callees(i);
	const ns = byClass(functions.classes[i]);
	const mine = report.waits.filter(w => w[0] === i);
	const path = functions.modules[functions.module[i]];
	const file = functions.files[functions.file[i]];
	const panel = el('section', {id: 'selected', 'aria-label':
		'The chosen function'},
	el('h2', {}, functions.name[i]),
	el('p', {className: 'dim'}, `${path || 'of no known file'}; ` +
		`${report.runtimes[functions.runtime[i]]}; called ` +
		`${count(functions.calls[i])} times, ` + (ended(i)
		? `one call ${time(functions.min[i])} to ${time(functions.max[i])}`
		: 'no call ended')),
	file ? el('p', {className: 'dim'}, `Source: ${file}:${functions.line[i]}`)
		: '',
	composition(ns), el('p', {}, 'Own time: ' + (classesText(ns) || 'none')));

	for (const [bit, text] of MARKS)
		if (functions.marks[i] & bit)
			panel.append(el('p', {className: 'error'}, text));
	panel.append(el('div', {className: 'two'},
		edgeTable('Callers', up, k => flat[up[k]], 'Caller'),
		edgeTable('Callees', down, k => flat[down[k] + 1], 'Callee')));
	if (mine.length)
		panel.append(el('h3', {}, 'Waits of its own code'),
			waitTable(mine, 'Waits').element);
	return panel;
}

function functionsView(main) {
	const select = Number(place.params.get('select') ?? -1);
	const chosen = select >= 0 && select < functions.name.length ? select : -1;
	const known = new Set();
	const columns = [
		{key: 'name', title: 'Function', left: true,
			text: i => functions.name[i],
			open: i => () => go({select: i})},
		numberColumn('calls', 'Calls', i => functions.calls[i], count),
		...timeColumns(),
		callColumn('min', 'Min', 'The shortest call'),
		callColumn('max', 'Max', 'The longest call'),
		...classColumns(),
		{key: 'module', title: 'Module', left: true, text: moduleName},
	];

	columns.forEach(c => known.add(c.key));
	const wanted = place.params.get('sort');
	const table = makeTable(columns, {rows: functions.name.length,
		label: 'Functions', sort: known.has(wanted) ? wanted : 'ae',
		up: place.params.get('up') === '1',
		filter: (i, words) => matches(functions.name[i] + ' ' +
			moduleName(i), words),
		selected: i => i === chosen,
		changed: (sort, up) => go({sort, up: up ? 1 : ''}, true)});
	const field = searchField('Filter by name or module',
		place.params.get('q'), words => {
			table.filter(words);
			go({q: words}, true);
		});

	if (field.value)
		table.filter(field.value);
	if (chosen >= 0)
		main.append(selectedPanel(chosen));
	main.append(el('h2', {}, 'Functions'),
		el('div', {className: 'bar'}, field), table.element);
	const bits = Object.values(UNCERTAIN);

	if (functions.marks.some(m => bits.some(bit => m & bit)))
		main.append(el('p', {className: 'dim'}, UNCERTAIN_TEXT));
	return {table};
}

function waitsView(main) {
	const table = waitTable(report.waits, 'Waits');
	const field = searchField('Filter by function, class, system call or waker',
		place.params.get('q'), words => {
			table.filter(words);
			go({q: words}, true);
		});

	if (field.value)
		table.filter(field.value);
	main.append(el('h2', {}, 'Waits, and who ended them'),
		el('div', {className: 'bar'}, field), table.element);
	if (report.waits_left_out)
		main.append(el('p', {className: 'dim'},
			`${count(report.waits_left_out)} shorter ones are left out.`));
	return {table};
}
