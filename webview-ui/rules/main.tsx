/** Renders the page "Rules and Approvals" in its editor tab. */
import { render } from 'preact';
import '../styles/page.css';
import { RulesPage } from './RulesPage.tsx';
import { begin } from './store.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
render(<RulesPage />, root);
begin();
