import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';

// Writes what the chart and its page take from config/maps and values.yaml: `node scripts/chart/generate.ts`.

for (const [file, text] of generated()) writeFileSync(file, text);
