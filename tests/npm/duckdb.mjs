// SPDX-License-Identifier: BSD-2-Clause
// duckdb.mjs MODULES: runs the statements of stdin in DuckDB, in the current
// folder, and prints the rows of the last one, a JSON array a line. MODULES is
// the folder above node_modules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(`${process.argv[2]}/package.json`);
const { DuckDBInstance } = require('@duckdb/node-api');
const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
const reader = await connection.runAndReadAll(readFileSync(0, 'utf8'));

for (const row of reader.getRows())
	console.log(JSON.stringify(row, (_, value) =>
		typeof value === 'bigint' ? Number(value) : value));
