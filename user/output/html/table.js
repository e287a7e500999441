// SPDX-License-Identifier: BSD-2-Clause
// Tables that can be sorted and filtered. They show the first rows, and more on
// request.

const PAGE = 200;

// columns: {key, title, text: i => string, value: i => number to sort by, left:
// a text column, sorted by its text, open: i => what a click does, help}.
// options: rows (their number), sort (a key), up, filter: (i, words) =>
// boolean, label, selected: i => boolean, changed: (sort, up) => {}.
function makeTable(columns, options) {
	const body = el('tbody');
	const caption = el('caption');
	const more = el('button', {type: 'button', hidden: true});
	const state = {sort: options.sort, up: !!options.up, shown: PAGE};
	let order = [];

	const heads = columns.map(c => {
		const button = el('button', {type: 'button', onclick: () => {
			state.up = state.sort === c.key ? !state.up : !!c.left;
			state.sort = c.key;
			arrange();
			if (options.changed)
				options.changed(state.sort, state.up);
		}}, c.title);

		return el('th', {scope: 'col', className: c.left ? 'text' : '',
			title: c.help || ''}, button);
	});
	const table = el('table', {}, caption, el('thead', {},
		el('tr', {}, ...heads)), body);

	more.addEventListener('click', () => {
		state.shown += PAGE;
		render();
	});

	function cell(c, i) {
		const text = c.text(i);
		const open = c.open && c.open(i);
		const td = el('td', {className: c.left ? 'text' : ''});

		if (open)
			td.append(el('button', {type: 'button',
				className: 'name', onclick: open}, text));
		else
			td.append(shown(text));
		return td;
	}

	function render() {
		const rows = order.slice(0, state.shown).map(i => {
			const tr = el('tr', {}, ...columns.map(c => cell(c, i)));

			tr.dataset.row = i;
			if (options.selected)
				tr.setAttribute('aria-selected',
					options.selected(i));
			return tr;
		});

		body.replaceChildren(...rows);
		more.hidden = order.length <= state.shown;
		more.textContent = `Show ${PAGE} more`;
		caption.textContent = `${options.label}: ${count(order.length)}` +
			(order.length < options.rows
				? ` of ${count(options.rows)}` : '') +
			(more.hidden ? '' : `, ${count(state.shown)} shown`);
		heads.forEach((th, k) => {
			const mine = columns[k].key === state.sort;

			th.setAttribute('aria-sort', !mine ? 'none'
				: state.up ? 'ascending' : 'descending');
			th.firstChild.textContent = columns[k].title +
				(mine ? state.up ? ' ▲' : ' ▼' : '');
		});
	}

	function sortRows() {
		const c = columns.find(one => one.key === state.sort);
		const sign = state.up ? 1 : -1;

		if (!c)
			return;
		if (c.left) {
			const texts = new Map(order.map(i => [i, c.text(i)]));

			order.sort((a, b) => {
				const x = texts.get(a), y = texts.get(b);

				return x < y ? -sign : x > y ? sign : a - b;
			});
			return;
		}
		const keys = new Float64Array(options.rows);

		for (const i of order)
			keys[i] = sign * c.value(i);
		order = Array.from(Uint32Array.from(order).sort((a, b) =>
			keys[a] - keys[b] || a - b));
	}

	function arrange() {
		state.shown = PAGE;
		sortRows();
		render();
	}

	function filter(words) {
		order = [];
		for (let i = 0; i < options.rows; i++)
			if (!words || options.filter(i, words))
				order.push(i);
		arrange();
	}

	filter('');
	return {filter, render, element: el('div', {},
		el('div', {className: 'scroll', tabIndex: 0, role: 'region',
			'aria-label': options.label}, table), more)};
}

// A search field; `use` gets its text shortly after the last key.
function searchField(label, value, use) {
	let timer = 0;
	const input = el('input', {type: 'search', value: value || '',
		'aria-label': label, placeholder: label, spellcheck: false,
		size: label.length,
		oninput: () => {
			clearTimeout(timer);
			timer = setTimeout(() => use(input.value), 120);
		}});

	return input;
}

// A list to choose from: [value, text] each.
function choice(label, values, value, use) {
	const select = el('select', {'aria-label': label,
		onchange: () => use(select.value)},
	...values.map(([v, text]) => el('option', {value: v}, text)));

	select.value = value;
	return select;
}
