// Server-sent events out of a stream of text, piece by piece, as the HTML standard says ("Interpreting
// an event stream"). EventSource cannot send a token, so the page reads the stream itself. Pure.

export interface StreamEvent { event: string; data: string; id: string | null }

export class StreamText {
  private rest = ''
  private event = ''
  private data: string[] = []
  private id: string | null = null
  private afterReturn = false
  /// The wait that the server asked for, in ms; null: none yet.
  retry: number | null = null

  /// The events that are complete with this piece.
  take(piece: string): StreamEvent[] {
    const found: StreamEvent[] = []
    if (this.afterReturn && piece.startsWith('\n')) piece = piece.slice(1)
    this.afterReturn = piece.endsWith('\r')
    const lines = (this.rest + piece).split(/\r\n|\r|\n/)
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.line(line, found)
    return found
  }

  private line(line: string, found: StreamEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) {
        found.push({ event: this.event || 'message', data: this.data.join('\n'), id: this.id })
      }
      this.event = ''
      this.data = []
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return  // a comment: the heartbeat
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.event = value
    else if (field === 'data') this.data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.id = value
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value)
  }
}
