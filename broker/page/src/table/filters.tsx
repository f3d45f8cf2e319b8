// The fields above a table that say which rows are shown. They stand in the address.
import { adjust, usePlace } from '../place/here.ts'
import { count, plain } from '../parts/text.tsx'

const CHOICES_MAX = 500

export interface Choice { arg: string; title: string; values: [string, number][]; typed?: boolean }

export function Filters({ text, choices }: { text: string; choices: readonly Choice[] }) {
  const { args } = usePlace()
  const any = args.q !== undefined || choices.some(each => args[each.arg] !== undefined)
  return <form class="filters" role="search" aria-label="Which rows" onSubmit={event => event.preventDefault()}>
    <label>
      <span>{text}</span>
      <input type="search" value={args.q ?? ''} data-filter
             onInput={event => adjust({ q: event.currentTarget.value })} />
    </label>
    {choices.map(each => each.typed ? <Typed choice={each} /> : <Chosen choice={each} />)}
    {any && <button type="button" class="small" onClick={() =>
      adjust(Object.fromEntries(['q', ...choices.map(each => each.arg)].map(arg => [arg, undefined])))}>
      Show all
    </button>}
  </form>
}

function Chosen({ choice }: { choice: Choice }) {
  const { args } = usePlace()
  const now = args[choice.arg] ?? ''
  const known = choice.values.some(([value]) => value === now)
  return <label>
    <span>{choice.title}</span>
    <select value={now} onChange={event => adjust({ [choice.arg]: event.currentTarget.value })}>
      <option value="">any</option>
      {now !== '' && !known && <option value={now}>{plain(now)} (0)</option>}
      {choice.values.map(([value, rows]) =>
        <option value={value}>{plain(value)} ({count(rows)})</option>)}
    </select>
  </label>
}

/// Names: there may be thousands, so they are typed, with what is there to choose from.
function Typed({ choice }: { choice: Choice }) {
  const { args } = usePlace()
  const list = `names-${choice.arg}`
  return <label>
    <span>{choice.title}</span>
    <input type="text" list={list} value={args[choice.arg] ?? ''} placeholder="any"
           title="the beginning of a name; * stands for any text"
           onInput={event => adjust({ [choice.arg]: event.currentTarget.value })} />
    <datalist id={list}>
      {choice.values.slice(0, CHOICES_MAX).map(([value]) => <option value={value} />)}
    </datalist>
  </label>
}
