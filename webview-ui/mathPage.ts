/** Loaded with the first formula. MathML needs neither styles nor fonts of its own, which the page's policy would refuse. */
import katex from 'katex';
import './components/math.ts';

globalThis.tillerMath = (formula, isBlock) => {
  try {
    const html = katex.renderToString(formula, {
      displayMode: isBlock,
      output: 'mathml',
      throwOnError: true,
      strict: false,
    });
    // The policy of the page refuses attributes with styles.
    return html.replaceAll(/ style\x3d"[^"]*"/g, '');
  } catch {
    return null;
  }
};
