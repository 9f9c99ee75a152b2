// Reads the controller's readiness and its metrics; ends with 1 and a sentence when one of them is wrong.
const [readyUrl, metricsUrl, prefix] = process.argv.slice(1);
// Over HTTPS nobody gets in without a token, and this pod has none.
const metrics = metricsUrl.startsWith('https:')
  ? { wantedStatus: 401, wantedText: '' }
  : { wantedStatus: 200, wantedText: `${prefix}build_info{` };
const checks = [
  { url: readyUrl, wantedStatus: 200, wantedText: '' },
  { url: metricsUrl, ...metrics },
];

async function ask(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: `no answer (${error.cause?.code ?? error.name})`, text: '' };
  }
}

for (const { url, wantedStatus, wantedText } of checks) {
  const { status, text } = await ask(url);
  const good = status === wantedStatus && text.includes(wantedText);
  console.log(good ? `${url}: ok` : `${url}: expected ${wantedStatus} with "${wantedText}", got ${status}`);
  if (!good) process.exitCode = 1;
}
