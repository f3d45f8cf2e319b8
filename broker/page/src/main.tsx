// The start: one stream for all tabs, then the page.
import { render } from 'preact'
import { follow } from './live/tabs.ts'
import { App } from './shell/app.tsx'

follow()
render(<App />, document.getElementById('page')!)
