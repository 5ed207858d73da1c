/** A corner shop: baskets, bulk discounts, parcels. @type {import('../sample.mjs').Domain} */
export const shop = {
  title: 'corner-shop',
  about: 'Baskets, bulk discounts and parcels for a small shop. All amounts are in cents.',
  files: {
    'src/basket.js': `import { bulkDiscount } from './discounts.js';

/** @typedef {{ article: string, unitPrice: number, quantity: number }} BasketLine */

//@filler
/** The price of everything in the basket before any discount. */
export function grossPrice(lines) {
  return lines.reduce((sum, line) => sum + line.unitPrice * line.quantity, 0);
}

/** Returns the price of the goods: the gross price less the bulk discount of every line. */
export function netPrice(lines) {
  let savings = 0;
  for (const line of lines) savings += bulkDiscount(line);
  return grossPrice(lines) - savings;
}
`,
    'src/discounts.js': `export const BULK_QUANTITY = 10;
const BULK_PERCENT = 10;

//@filler
/** Ten percent off a line that reaches the bulk quantity. */
export function bulkDiscount(line) {
  if (line.quantity < BULK_QUANTITY) return 0;
  return (line.unitPrice * line.quantity * BULK_PERCENT) / 100;
}
`,
    'src/shipping.js': `const BASE_FEE = 490;
const FEE_PER_KILO = 120;
const HIGHEST_FEE = 1500;

//@filler
/** Heavier parcels cost more, but never more than the highest fee. */
export function shippingFee(kilos) {
  return Math.min(BASE_FEE + FEE_PER_KILO * kilos, HIGHEST_FEE);
}
`,
    'src/catalogue.js': `/** @typedef {{ article: string, price: number }} Product */

//@filler
/** The products of one page; pages are counted from 1. */
export function cataloguePage(products, page, perPage) {
  const start = (page - 1) * perPage;
  return products.slice(start, start + perPage);
}

/** A sorted copy: bargains on top. */
export function cheapestFirst(products) {
  return [...products].sort((left, right) => left.price - right.price);
}
`,
    'src/checkout.js': `import { netPrice } from './basket.js';
import { shippingFee } from './shipping.js';

//@filler
/** The bill for a basket. The tax rate depends on the country and is looked up. */
export async function checkout(lines, kilos, lookUpTaxRate) {
  const taxRate = await lookUpTaxRate();
  const goods = netPrice(lines);
  const tax = Math.round(goods * taxRate);
  return { goods, tax, total: goods + tax + shippingFee(kilos) };
}
`,
    'test/basket.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grossPrice, netPrice } from '../src/basket.js';
import { bulkDiscount } from '../src/discounts.js';

const pens = { article: 'pen', unitPrice: 120, quantity: 20 };
const notebook = { article: 'notebook', unitPrice: 450, quantity: 2 };

test('the gross price counts every piece', () => {
  assert.equal(grossPrice([pens, notebook]), 3300);
});

test('a bulk discount lowers the net price', () => {
  assert.equal(netPrice([pens, notebook]), 3060);
});

test('small lines get no discount', () => {
  assert.equal(bulkDiscount(notebook), 0);
});

test('the tenth piece earns the bulk discount', () => {
  assert.equal(bulkDiscount({ article: 'cup', unitPrice: 300, quantity: 10 }), 300);
});
`,
    'test/catalogue.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cataloguePage, cheapestFirst } from '../src/catalogue.js';

const candle = { article: 'candle', price: 700 };
const postcard = { article: 'postcard', price: 150 };
const teapot = { article: 'teapot', price: 2900 };

test('a page is filled to the last place', () => {
  assert.deepEqual(cataloguePage([candle, postcard, teapot], 1, 2), [candle, postcard]);
});

test('bargains come first', () => {
  const articles = cheapestFirst([candle, postcard, teapot]).map((product) => product.article);
  assert.deepEqual(articles, ['postcard', 'candle', 'teapot']);
});
`,
    'test/checkout.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkout } from '../src/checkout.js';
import { shippingFee } from '../src/shipping.js';

const teapot = { article: 'teapot', unitPrice: 2900, quantity: 1 };

test('a parcel is charged by weight, up to a limit', () => {
  assert.equal(shippingFee(1), 610);
  assert.equal(shippingFee(40), 1500);
});

test('the bill adds tax and shipping to the goods', async () => {
  const bill = await checkout([teapot], 2, async () => 0.2);
  assert.deepEqual(bill, { goods: 2900, tax: 580, total: 4210 });
});
`,
  },
  bugs: {
    boundary: {
      path: 'src/discounts.js',
      right: 'line.quantity < BULK_QUANTITY',
      wrong: 'line.quantity <= BULK_QUANTITY',
    },
    off_by_one: { path: 'src/catalogue.js', right: 'start + perPage)', wrong: 'start + perPage - 1)' },
    operator: { path: 'src/basket.js', right: 'grossPrice(lines) - savings', wrong: 'grossPrice(lines) + savings' },
    missing_await: { path: 'src/checkout.js', right: 'await lookUpTaxRate()', wrong: 'lookUpTaxRate()' },
    sort_order: { path: 'src/catalogue.js', right: 'left.price - right.price', wrong: 'right.price - left.price' },
    clamp: { path: 'src/shipping.js', right: 'Math.min(BASE_FEE', wrong: 'Math.max(BASE_FEE' },
  },
  fillers: [
    `/** Writes an amount the way it stands on the receipt: \`1234\` becomes \`12.34\`. */
export function asPriceTag(cents) {
  return (cents / 100).toFixed(2);
}
`,
    `/** Voucher codes are typed by hand: blanks and lower case are forgiven. */
export function tidyVoucher(voucher) {
  return voucher.trim().toUpperCase();
}
`,
    `/** True for articles that must not travel by post. */
export function pickUpOnly(article) {
  const heavyGoods = ['sofa', 'piano', 'wardrobe'];
  return heavyGoods.includes(article);
}
`,
    `// Prices are whole cents on purpose: fractions of a cent add up to
// angry customers. Convert to euros at the very edge only.
`,
  ],
};
