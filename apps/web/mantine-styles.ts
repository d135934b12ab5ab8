import type { Plugin } from 'vite'

const component = /[/]@mantine[/]core[/]esm[/].*[/](\w+)[.]module[.]mjs$/

/**
 * Of Mantine's style sheet only what belongs to the parts that are used, each with the code of its part. While developing, all of it comes
 * at once, since Mantine's modules are bundled before.
 */
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
