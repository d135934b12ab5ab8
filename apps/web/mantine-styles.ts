import type { Plugin } from 'vite'

const component = /[/]@mantine[/]core[/]esm[/].*[/](\w+)[.]module[.]mjs$/

/** Includes Mantine's styles only with the parts that use them; in development all of them, since its modules are pre-bundled. */
export const mantineStyles: Plugin = {
  name: 'mantine-styles',
  apply: 'build',
  enforce: 'pre',
  resolveId(id) {
    return id === '@mantine/core/styles.layer.css'
      ? this.resolve('./src/ui/base/mantine-base.css', `${import.meta.dirname}/index.html`)
      : undefined
  },
  transform(code, id) {
    const name = component.exec(id)?.[1]
    return name && `import ${JSON.stringify(id.replace(/esm[/].*/, `styles/${name}.layer.css`))}\n${code}`
  },
}
