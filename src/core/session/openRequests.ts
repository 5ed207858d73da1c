interface OpenRequest<Request, Answer> {
  readonly request: Request;
  readonly answer: Promise<Answer>;
  readonly settle: (answer: Answer, submissionId?: string) => void;
}

/** Called once for each request, when it is no longer open and before its promise settles. */
export interface RequestEnd<Answer> {
  /** `submissionId` is absent where no op answered it. */
  readonly settled: (answer: Answer, submissionId?: string) => void;
  /** The signal of its caller aborted. */
  readonly cancelled: () => void;
}

/** Requests of one kind that have no answer yet, by id, oldest first. */
export class OpenRequests<Request, Answer> {
  readonly #open = new Map<string, OpenRequest<Request, Answer>>();

  get size(): number {
    return this.#open.size;
  }

  /** A copy: requests may be settled while the caller iterates. */
  get all(): readonly (OpenRequest<Request, Answer> & { readonly id: string })[] {
    return [...this.#open].map(([id, open]) => ({ id, ...open }));
  }

  get(id: string): OpenRequest<Request, Answer> | undefined {
    return this.#open.get(id);
  }

  /** Rejects with the reason of the signal when it aborts first. Leaves no listener on the signal. */
  wait(id: string, request: Request, signal: AbortSignal, end: RequestEnd<Answer>): Promise<Answer> {
    let resolve: (answer: Answer) => void = () => {};
    let reject: (reason: unknown) => void = () => {};
    const answer = new Promise<Answer>((onAnswer, onCancel) => {
      resolve = onAnswer;
      reject = onCancel;
    });
    const close = () => {
      this.#open.delete(id);
      signal.removeEventListener('abort', cancel);
    };
    const cancel = () => {
      close();
      end.cancelled();
      reject(signal.reason);
    };
    const settle = (given: Answer, submissionId?: string) => {
      close();
      end.settled(given, submissionId);
      resolve(given);
    };
    this.#open.set(id, { request, answer, settle });
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    return answer;
  }
}
