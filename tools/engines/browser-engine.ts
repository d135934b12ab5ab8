/** The interface of a browser engine: it has only what the journeys need, and each engine is one file. */
export interface Engine {
  /** A window with a separate session: it shares no cookies with another. */
  openTab(): Promise<Tab>
  close(): Promise<void>
}

export interface Tab {
  goto(url: string): Promise<void>
  /** Evaluates a JavaScript expression in the page; its value must be JSON. */
  evaluate(expression: string): Promise<unknown>
  /** Moves the mouse to a point of the viewport, in CSS pixels, and clicks. */
  click(x: number, y: number): Promise<void>
  /** Presses the keys of a text one after the other. */
  type(text: string): Promise<void>
  /** The viewport as a PNG. */
  screenshot(): Promise<Uint8Array>
}

/** Size of the viewport in CSS pixels. */
export const viewport = { width: 1440, height: 900 }
