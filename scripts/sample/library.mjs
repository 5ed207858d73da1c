/** A lending library: loans, fines, shelves. @type {import('../sample.mjs').Domain} */
export const library = {
  title: 'reading-room',
  about: 'Loans, fines and shelves of a lending library. Days are counted from the opening of the house.',
  files: {
    'src/loans.js': `export const LOAN_DAYS = 21;

/** @typedef {{ book: string, borrowedOn: number }} Loan */

//@filler
/** The day on which a book has to be back. */
export function dueDay(loan) {
  return loan.borrowedOn + LOAN_DAYS;
}

/** A book is overdue once its due day has passed, not on the day itself. */
export function isOverdue(loan, today) {
  return today > dueDay(loan);
}
`,
    'src/renewals.js': `import { dueDay } from './loans.js';

//@filler
/** Starts the loan afresh on its due day, unless another reader is waiting for the book. */
export async function renewLoan(loan, isReserved) {
  const reserved = await isReserved(loan.book);
  if (reserved) return loan;
  return { ...loan, borrowedOn: dueDay(loan) };
}
`,
    'src/fines.js': `import { dueDay, isOverdue } from './loans.js';

const CENTS_PER_DAY = 25;
const HIGHEST_FINE = 1000;

//@filler
/** Every overdue day costs the same, up to the highest fine. */
export function fineFor(loan, today) {
  if (!isOverdue(loan, today)) return 0;
  const overdueDays = today - dueDay(loan);
  return Math.min(overdueDays * CENTS_PER_DAY, HIGHEST_FINE);
}

/** Returns the amount that a reader still owes after the payments so far. */
export function balanceDue(reader, today) {
  let owed = 0;
  for (const loan of reader.loans) owed += fineFor(loan, today);
  return owed - reader.alreadyPaid;
}
`,
    'src/shelf.js': `/** @typedef {{ title: string, author: string, acquiredOn: number }} Book */

//@filler
/** The books as they stand on the shelf: in the order of their titles. */
export function shelfOrder(books) {
  return [...books].sort((one, other) => one.title.localeCompare(other.title));
}

/** The books bought last; the list is kept in the order of purchase, newest in front. */
export function newArrivals(books, howMany) {
  return books.slice(0, howMany).map((book) => book.title);
}
`,
    'test/loans.test.js': `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dueDay, isOverdue } from '../src/loans.js';
import { renewLoan } from '../src/renewals.js';

const loan = { book: 'Walden', borrowedOn: 100 };

describe('loans', () => {
  it('last three weeks', () => {
    assert.equal(dueDay(loan), 121);
  });

  it('are not overdue on the due day itself', () => {
    assert.equal(isOverdue(loan, 121), false);
  });

  it('are overdue the day after', () => {
    assert.equal(isOverdue(loan, 122), true);
  });
});

describe('renewals', () => {
  it('start on the due day when no reader waits', async () => {
    const renewed = await renewLoan(loan, async () => false);
    assert.equal(dueDay(renewed), 142);
  });

  it('are refused when another reader waits', async () => {
    assert.deepEqual(await renewLoan(loan, async () => true), loan);
  });
});
`,
    'test/fines.test.js': `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { balanceDue, fineFor } from '../src/fines.js';

const walden = { book: 'Walden', borrowedOn: 0 };
const emma = { book: 'Emma', borrowedOn: 10 };

it('charges every overdue day, up to the highest fine', () => {
  assert.equal(fineFor(walden, 25), 100);
  assert.equal(fineFor(walden, 400), 1000);
});

it('charges nothing for a book that is not late', () => {
  assert.equal(fineFor(emma, 20), 0);
});

it('takes payments off the balance', () => {
  const reader = { loans: [walden, emma], alreadyPaid: 60 };
  assert.equal(balanceDue(reader, 33), 290);
});
`,
    'test/shelf.test.js': `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newArrivals, shelfOrder } from '../src/shelf.js';

const emma = { title: 'Emma', author: 'Austen', acquiredOn: 30 };
const persuasion = { title: 'Persuasion', author: 'Austen', acquiredOn: 20 };
const walden = { title: 'Walden', author: 'Thoreau', acquiredOn: 10 };

it('shelves books by title', () => {
  assert.deepEqual(shelfOrder([walden, emma, persuasion]), [emma, persuasion, walden]);
});

it('shows as many new arrivals as asked for', () => {
  assert.deepEqual(newArrivals([emma, persuasion, walden], 2), ['Emma', 'Persuasion']);
});
`,
  },
  bugs: {
    boundary: { path: 'src/loans.js', right: 'today > dueDay(loan)', wrong: 'today >= dueDay(loan)' },
    off_by_one: { path: 'src/shelf.js', right: 'slice(0, howMany)', wrong: 'slice(0, howMany - 1)' },
    operator: { path: 'src/fines.js', right: 'owed - reader.alreadyPaid', wrong: 'owed + reader.alreadyPaid' },
    missing_await: { path: 'src/renewals.js', right: 'await isReserved(', wrong: 'isReserved(' },
    sort_order: {
      path: 'src/shelf.js',
      right: 'one.title.localeCompare(other.title)',
      wrong: 'other.title.localeCompare(one.title)',
    },
    clamp: { path: 'src/fines.js', right: 'Math.min(overdueDays', wrong: 'Math.max(overdueDays' },
  },
  fillers: [
    `/** The name as it stands on the spine: \`Jane Austen\` becomes \`Austen, Jane\`. */
export function spineName(author) {
  const names = author.split(' ');
  return [names.pop(), names.join(' ')].join(', ');
}
`,
    `/** Reference works stay in the house. */
export function mayBeBorrowed(book) {
  return !book.isReference;
}
`,
    `/** A reader card is valid when it has eight digits. */
export function isReaderCard(cardNumber) {
  return /^[0-9]{8}$/.test(cardNumber);
}
`,
    `// The library has been closed on no day since its opening, so a day
// number is all the calendar it needs. Time zones stay outside.
`,
  ],
};
