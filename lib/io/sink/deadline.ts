/** The time that one attempt has: it ends when that is up, or when `end` is called. */
export class Deadline {
  /** Called once, at the end; whoever has something under way sets it. */
  onEnd: () => void = () => {};
  #ended = false;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end(), timeoutMs);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The time is up; what is under way hears of it. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onEnd();
  }

  /** The attempt is over: nobody hears of anything any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.onEnd = () => {};
  }
}
