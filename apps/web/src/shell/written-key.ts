/** As printed on the keys. */
export function written(key: string): string {
  const mac = /mac|iphone|ipad/i.test(navigator.userAgent)
  const names: Record<string, string> = {
    mod: mac ? '⌘' : 'Ctrl',
    alt: 'Alt',
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    'shift+?': '?',
  }
  return (
    names[key] ??
    key
      .split('+')
      .map((part) => names[part] ?? part.toUpperCase())
      .join(' + ')
  )
}
