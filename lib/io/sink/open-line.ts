import type { Dispatcher } from 'undici';
import { codeOf } from '../error-code.ts';
import type { Deadline } from './deadline.ts';
import { type ConnectionsOptions, openConnections } from './open-connections.ts';
import { type Answer, type Posting, postOnce } from './post-once.ts';
import type { SinkTls } from './sink-credentials.ts';
import type { Target } from './target.ts';

/** One sink URL with its connections, good as long as neither the URL nor what TLS is made with changes. */
export interface Line {
  readonly url: string;
  readonly target: Target;
  readonly tls: SinkTls;
  /** Posts, at once again where a kept connection turns out dead. Rejects with the error of the last try. */
  post(posting: Posting, deadline: Deadline): Promise<Answer>;
  /** Closes every connection; what is under way ends as it would. */
  close(): Promise<void>;
  /** Ends every connection now, also one that has yet to stand, for which `close` would wait; what is under way fails. */
  destroy(): Promise<void>;
}

interface LineOptions extends Omit<ConnectionsOptions, 'origin'> {
  readonly url: string;
  readonly target: Target;
  /** Takes the error code of each try that is followed by another in the same attempt. */
  readonly onRetry: (code: string) => void;
}

/** In-line tries after a kept connection turned out to be dead. Long waits belong to the queue. */
const inLineTries = 2;
const deadConnection = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/** A line to a sink; connections are opened as posts need them. */
export function openLine({ url, target, onRetry, ...connections }: LineOptions): Line {
  const dispatcher = openConnections({ origin: target.origin, ...connections });
  const tries = new Tries(dispatcher, connections.maxConnections, onRetry);
  const post = (posting: Posting, deadline: Deadline) => tries.post(posting, deadline);
  const close = () => dispatcher.close();
  return { url, target, tls: connections.tls, post, close, destroy: () => dispatcher.destroy() };
}

class Tries {
  readonly #dispatcher: Dispatcher;
  readonly #maxConnections: number;
  readonly #onRetry: LineOptions['onRetry'];
  /**
   * Connections that have answered 2xx and were not found dead since: at most so many can be kept ones. None after an
   * error: a sink that answers nothing else must not be asked more often than the queue decides.
   */
  #kept = 0;

  constructor(dispatcher: Dispatcher, maxConnections: number, onRetry: LineOptions['onRetry']) {
    this.#dispatcher = dispatcher;
    this.#maxConnections = maxConnections;
    this.#onRetry = onRetry;
  }

  async post(posting: Posting, deadline: Deadline): Promise<Answer> {
    for (let left = inLineTries; ; left -= 1) {
      try {
        const answer = await postOnce(this.#dispatcher, posting, deadline);
        this.#kept = answer.status < 300 ? Math.min(this.#maxConnections, this.#kept + 1) : 0;
        return answer;
      } catch (error) {
        const code = codeOf(error);
        // A sink that ends each new connection must not be asked three times as often for it.
        if (left === 0 || this.#kept === 0 || deadline.ended || !deadConnection.test(code)) throw error;
        this.#kept -= 1;
        this.#onRetry(code);
      }
    }
  }
}
