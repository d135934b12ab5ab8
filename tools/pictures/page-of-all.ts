/** pictures/index.html: all pictures on one page; the arrow keys move from screen to screen. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { screens } from './picture-list.ts'

const named = /^(.+)-(\d+)-(light|dark)(?:-(zh|ja))?\.png$/

export function writePage(folder: string): void {
  const files = readdirSync(folder).filter((file) => named.test(file))
  const sections = screens.flatMap(({ name, role }) => {
    const own = files.filter((file) => named.exec(file)?.[1] === name)
    if (own.length === 0) return []
    const order = (file: string) => Number(named.exec(file)?.[2]) * -10 + (file.includes('-dark') ? 1 : 0)
    const figures = own
      .toSorted((a, b) => order(a) - order(b))
      .map((file) => `<a href="${file}"><img loading="lazy" src="${file}" alt="${file}" title="${file}"></a>`)
    return [`<section id="${name}"><h2>${name} <small>${role}</small></h2>${figures.join('')}</section>`]
  })
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Pictures</title>
<style>body{font:15px sans-serif;margin:24px}img{height:420px;margin:0 8px 8px 0;border:1px solid}small{font-weight:400}</style>
<h1>${files.length} pictures of ${sections.length} screens</h1>
${sections.join('\n')}
<script>
let at = -1
addEventListener('keydown', ({ key }) => {
  const all = document.querySelectorAll('section')
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
  if (step) all[(at = (at + step + all.length) % all.length)].scrollIntoView()
})
</script>
`,
  )
}
