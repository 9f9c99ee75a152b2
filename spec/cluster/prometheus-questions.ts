/** The queries of the page, one by one, each with the sentence above its block. */
export function questions(page: string): readonly { readonly text: string; readonly expr: string }[] {
  const blocks = [...page.matchAll(/\n\n([^`]+?)\n\n```promql\n([\s\S]+?)\n```/g)];
  // A query goes on where the next line is indented.
  return blocks.flatMap(([, text = '', queries = '']) => queries.split(/\n(?=\S)/).map((expr) => ({ text, expr })));
}

/** A query with Grafana's variables replaced, as Prometheus would get it. */
export function filled(expr: string): string {
  return expr.replace(/\$__\w+/g, '5m').replace(/\$namespace/g, '.*');
}
