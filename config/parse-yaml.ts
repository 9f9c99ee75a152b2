import { LineCounter, parseAllDocuments } from 'yaml';

/** What a YAML text holds: its documents as plain values without the empty ones, or why it cannot be read. */
interface YamlText {
  readonly documents: readonly unknown[];
  /** One clause with line and column. It repeats nothing of the text, which may hold a sink. */
  readonly problem: string | undefined;
}

/** Reads YAML of one or more documents; aliases are followed at most 100 times. */
export function parseYaml(text: string): YamlText {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter, prettyErrors: false });
  const documents = 'empty' in parsed ? [] : parsed;
  for (const { errors } of documents) {
    const [error] = errors;
    if (error === undefined) continue;
    const { line, col } = lineCounter.linePos(error.pos[0]);
    return { documents: [], problem: `expected YAML, got ${wordsOf(error.code)} at line ${line}, column ${col}` };
  }
  try {
    return {
      documents: documents.map((document) => document.toJS()).filter((value) => value !== null),
      problem: undefined,
    };
  } catch {
    // The library refuses a text that a few aliases blow up to gigabytes.
    return { documents: [], problem: 'expected YAML with at most 100 aliases, got more or an unknown one' };
  }
}

/** `BAD_INDENT` as `bad indent`. */
function wordsOf(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ');
}
