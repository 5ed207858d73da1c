/**
 * The script that draws formulas, loaded with the first one. It draws MathML, which needs neither styles nor fonts of
 * its own: the page's content security policy would refuse them.
 */
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
    // The content security policy refuses style attributes.
    return html.replaceAll(/ style\x3d"[^"]*"/g, '');
  } catch {
    return null;
  }
};
