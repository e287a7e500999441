// SPDX-License-Identifier: BSD-2-Clause
// The views, and which one is shown.

function findingsView(main) {
	const found = report.findings ? report.findings.findings : [];
	const session = report.session;
	const ns = new Float64Array(classes.length);

	classes.forEach((c, i) => {
		ns[i] = session.classes[c.name];
	});
	main.append(el('h2', {}, 'What stands out'));
	if (found.length)
		main.append(el('ol', {className: 'findings'}, ...found.map(f => {
			const li = el('li', {className: f.severity === 'error'
				? 'error' : ''}, f.text);

			if (f.next)
				li.append(el('pre', {tabIndex: 0}, f.next));
			return li;
		})));
	else
		main.append(el('p', {}, 'Nothing stands out.'));
	main.append(el('h2', {}, 'Time of all threads'), composition(ns),
		el('p', {id: 'session'},
			`Elapsed ${time(session.elapsed_ns)}, application ` +
			`${time(session.application_ns)}, ` +
			`${time(session.wall_ns)} by the clock: ` + classesText(ns)),
		legend(c => ns[c] > 0));
	threadTable(main);
	return {};
}

function threadTable(main) {
	const t = report.threads;
	const sums = t.map(one => byClass(one.classes));
	const used = report.class_order.filter(c => sums.some(s => s[c]));

	main.append(el('h2', {}, 'Threads'), makeTable([
		{key: 'name', title: 'Thread', left: true,
			text: i => `${t[i].name} (${t[i].tid})`},
		numberColumn('elapsed', 'Elapsed', i => t[i].elapsed_ns, time),
		numberColumn('app', 'Application', i => t[i].application_ns, time),
		numberColumn('calls', 'Calls', i => t[i].calls, count),
		...used.map(c => numberColumn('class-' + c, classes[c].name,
			i => sums[i][c], v => v ? time(v) : '', classes[c].help)),
	], {rows: t.length, label: 'Threads', sort: 'app'}).element);
}

const views = report.kind === 'diff' ? {
	changes: ['Changes', changesView],
	flame: ['Flame graph', diffFlameView],
} : {
	findings: ['Findings', findingsView],
	flame: ['Flame graph', flameView],
	threads: ['Threads', threadsView],
	functions: ['Functions', functionsView],
	waits: ['Waits', waitsView],
};

// What tests and the console can reach of the shown view.
const page = {view: null};

function show() {
	const main = byId('main');

	readPlace();
	if (!(place.view in views))
		place.view = Object.keys(views)[0];
	for (const a of byId('views').children)
		if (a.dataset.view === place.view)
			a.setAttribute('aria-current', 'page');
		else
			a.removeAttribute('aria-current');
	main.replaceChildren();
	main.dataset.view = place.view;
	try {
		page.view = views[place.view][1](main);
	} catch (e) {
		main.append(el('p', {className: 'error'},
			'This view cannot be shown: ' + e.message));
		throw e;
	}
	say(views[place.view][0]);
}

function losses() {
	if (report.broken)
		return 'A self-check failed: the numbers cannot be trusted.';
	return report.lossy ? `Records were lost (${count(report.lost.records)}): ` +
		'the report is not whole.' : '';
}

function header() {
	const words = report.command || [];
	const warning = losses();
	const base = path => path.slice(path.lastIndexOf('/') + 1);
	// the program, or the DLL that a runtime runs
	const title = report.kind === 'diff' ? 'What changed' : base(words.find(w => /\.dll$/i.test(w)) ||
		words[0] || '') || 'gnomon';

	byId('title').textContent = shown(title);
	document.title = shown(title + ' – gnomon');
	byId('about').textContent = shown([words.join(' '), report.diff &&
		`${count(report.diff.base_captures)} captures of the base, ` +
		`${count(report.diff.new_captures)} new ones`,
		[report.gnomon && 'gnomon ' + report.gnomon, report.machine,
			report.kernel && 'Linux ' + report.kernel]
			.filter(t => t).join(', ')].filter(t => t).join('; '));
	byId('warning').textContent = warning;
	byId('warning').hidden = !warning;
	byId('views').append(...Object.entries(views).map(([key, [text]]) => {
		const a = el('a', {href: '#' + key}, text);

		a.dataset.view = key;
		return a;
	}));
}

header();
show();
window.addEventListener('hashchange', show);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
	() => show());
document.documentElement.dataset.ready = 'yes';
window.gnomonPage = page;
