// SPDX-License-Identifier: BSD-2-Clause
// What changed from one set of captures to another: red grew, blue shrank.

function signed(value, text) {
	return (value > 0 ? '+' : '') + text(value);
}

function changeTable(rows, label, key, text) {
	const pair = i => rows[i][key];
	const change = i => pair(i).new - pair(i).base;
	const columns = [
		{key: 'name', title: label, left: true, text: i => rows[i].name},
		numberColumn('base', 'Base', i => pair(i).base, text),
		numberColumn('new', 'New', i => pair(i).new, text),
		{key: 'change', title: 'Change', value: i => Math.abs(change(i)),
			text: i => signed(change(i), text)},
		{key: 'state', title: '', left: true,
			text: i => rows[i].within_noise ? 'within noise'
				: rows[i].state === 'both' ? '' : rows[i].state},
	];

	if (rows.length && rows[0].module !== undefined)
		columns.push({key: 'module', title: 'Module', left: true,
			text: i => rows[i].module});
	return makeTable(columns, {rows: rows.length, label, sort: 'change',
		filter: (i, words) => matches(rows[i].name + ' ' +
			(rows[i].module || ''), words)});
}

const CHANGES = [
	['application_exclusive_ns', 'Application Exclusive'],
	['elapsed_exclusive_ns', 'Elapsed Exclusive'],
	['application_inclusive_ns', 'Application Inclusive'],
	['elapsed_inclusive_ns', 'Elapsed Inclusive'],
	['calls', 'Calls'],
];

function changesView(main) {
	const d = report.diff;
	let key = place.params.get('value');

	if (!CHANGES.some(([k]) => k === key))
		key = CHANGES[0][0];
	const text = key === 'calls' ? count : time;
	const total = t => `${time(t.base)} to ${time(t.new)} ` +
		`(${signed(t.new - t.base, time)})`;
	const table = changeTable(d.functions, 'Functions', key, text);
	const field = searchField('Filter by name or module',
		place.params.get('q'), words => {
			table.filter(words);
			go({q: words}, true);
		});

	main.append(el('h2', {}, 'What changed'),
		el('p', {id: 'total'}, 'Application ' +
			total(d.total.application_inclusive_ns) + '; elapsed ' +
			total(d.total.elapsed_inclusive_ns) +
			(d.noise_known ? '.' : '. With one capture a side, what ' +
				'of it is noise is not known.')),
		el('div', {className: 'bar'}, choice('Value', CHANGES, key,
			v => go({value: v})), field), table.element);
	for (const [rows, label] of [[d.modules, 'Modules'],
		[d.threads, 'Threads']])
		main.append(changeTable(rows, label, key, text).element);
	if (field.value)
		table.filter(field.value);
	return {table};
}

// Divides the sums of each side by its number of captures: means can be
// compared.
function bothTrees() {
	const p = data('paths'), d = report.diff, runs = {base: d.base_captures,
		new: d.new_captures};
	const of = {};

	for (const side of ['base', 'new']) {
		for (const key of ['ei', 'ai'])
			of[side + key] = Float64Array.from(p[`${side}_${key}`],
				v => v / runs[side]);
		const calls = Float64Array.from(p[side + '_calls'],
			v => v / runs[side]);

		for (let i = calls.length - 1; i > 0; i--)
			calls[p.parent[i]] += calls[i];
		of[side + 'calls'] = calls;
	}
	return {parent: Int32Array.from(p.parent), of, leftOut: p.left_out,
		name: i => p.names[p.name[i]]};
}

const DIFF_VALUES = [['ai', 'Application Time'], ['ei', 'Elapsed Time'],
	['calls', 'Calls']];

// From white to red (grew) or blue (shrank). The colour is stronger the larger
// the change is, compared with the frame and with the whole.
function changeColour(base, now, whole) {
	const change = now - base, most = Math.max(base, now, 1e-9);
	const part = Math.min(1, Math.abs(change) / most * 1.5) *
		Math.min(1, Math.abs(change) / Math.max(whole * 0.01, 1e-9));
	const strong = change > 0 ? [220, 60, 40] : [50, 100, 220];

	return strong.map(v => Math.round(235 + (v - 235) * part));
}

function diffFlameView(main) {
	const t = bothTrees();
	let value = place.params.get('value'), width = place.params.get('width');
	const result = el('span', {className: 'dim', role: 'status'});

	if (!t.parent.length) {
		main.append(el('p', {}, 'No calls were recorded.'));
		return {};
	}
	if (!DIFF_VALUES.some(([v]) => v === value))
		value = 'ai';
	if (width !== 'base')
		width = 'new';
	const base = i => t.of['base' + value][i];
	const now = i => t.of['new' + value][i];
	const text = v => value === 'calls' ? `${v.toFixed(1)} calls`
		: time(Math.round(v));
	const colour = i => changeColour(base(i), now(i),
		Math.max(base(0), now(0)));
	const graph = flameGraph({
		parent: t.parent, weight: t.of[width + value], zoom: 0,
		label: 'Flame graph of what changed. Arrow keys choose a frame, ' +
			'Enter zooms in, Escape out.',
		text: i => `${shortName(t.name(i))} ` +
			signed(now(i) - base(i), text),
		ink: () => '#000',
		describe: i => `${t.name(i)}: base ${text(base(i))}, new ` +
			`${text(now(i))}, ${signed(now(i) - base(i), text)}` +
			(base(i) ? ` (${signed(100 * (now(i) - base(i)) / base(i),
				v => v.toFixed(1))} %)` : now(i) ? ' (new)' : ''),
		paint: (g, i, x, y, w, h) => {
			g.fillStyle = css(colour(i));
			g.fillRect(x, y, w, h);
		},
	});
	const change = () => {
		graph.setWeight(t.of[width + value]);
		go({value: value === 'ai' ? '' : value,
			width: width === 'new' ? '' : width}, true);
		search(field.value);
	};

	function search(words) {
		const low = words.toLowerCase();
		const match = low ? i => t.name(i).toLowerCase().includes(low)
			: null;

		graph.setMatch(match);
		result.textContent = !match ? '' : 'matches: ' +
			['base', 'new'].map(side => `${side} ` +
				text(matchedValue(t.parent, t.of[side + value], match)))
				.join(', ');
	}

	const field = searchField('Search functions', '', search);

	main.append(el('h2', {}, 'Flame graph of what changed'),
		el('div', {className: 'bar'},
			choice('Value', DIFF_VALUES, value, v => {
				value = v;
				change();
			}),
			choice('Width', [['new', 'as wide as new'],
				['base', 'as wide as base']], width, v => {
				width = v;
				change();
			}), field,
			el('button', {type: 'button',
				onclick: () => graph.zoomTo(0)}, 'Zoom out'),
			result), graph.element,
		el('p', {className: 'dim'}, 'Red grew, blue shrank; values are means ' +
			'of the captures. What is gone is there as wide as base. ' +
			'Numbers in names that a compiler gives are stars.' +
			(t.leftOut ? ` ${count(t.leftOut)} smaller paths are left out.`
				: '')));
	return {graph};
}
