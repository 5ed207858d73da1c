/** Renders the page "Audit Log" in its editor tab. */
import { render } from 'preact';
import '../styles/page.css';
import { AuditPage } from './AuditPage.tsx';
import { post } from './store.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
render(<AuditPage />, root);
post({ type: 'ready' });
