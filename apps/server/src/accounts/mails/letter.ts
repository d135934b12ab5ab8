/** Renders a mail: subject, plain text, and HTML for light and dark mode without external resources. */
import { themeColour } from '@vexil/core/limits'
import type { Language, MailKind } from '@vexil/core/vocabulary'
import { escapeHtml } from '../../escape-html.ts'
import { mailTexts as en_US } from './en_US.ts'
import { mailTexts as ja_JP } from './ja_JP.ts'
import type { KindTexts, MailTexts } from './texts.ts'
import { mailTexts as zh_CN } from './zh_CN.ts'

const textsOf: Record<Language, MailTexts> = { en_US, zh_CN, ja_JP }

export interface LetterFacts {
  readonly kind: MailKind
  readonly language: Language
  readonly userName: string
  readonly email: string
  /** `{title}::CTF`. */
  readonly platform: string
  /** The site's colour, `#RRGGBB`; any other value means the default. */
  readonly colour: string
  readonly link: string | null
  readonly at: Date
}

export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export function drawLetter(facts: LetterFacts): Letter {
  const texts = textsOf[facts.language]
  const kind = texts.kinds[facts.kind]
  return {
    subject: `${kind.subject} - ${facts.platform}`,
    text: plainText(texts, kind, facts),
    html: page(texts, kind, facts),
  }
}

function values({ userName, platform, email, at }: LetterFacts): Record<string, string> {
  return { userName, platform, email, time: at.toISOString().slice(0, 19).replace('T', ' ') }
}

const filled = (text: string, places: Record<string, string>) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '')

function plainText(texts: MailTexts, kind: KindTexts, facts: LetterFacts): string {
  const parts = [
    texts.hello,
    ...kind.text,
    ...(facts.link ? [`${kind.button}:\n${facts.link}`, texts.holds] : []),
    ...(kind.otherwise ? [kind.otherwise] : []),
    `-- \n${texts.foot}`,
  ]
  const places = values(facts)
  return `${parts.map((part) => filled(part, places)).join('\n\n')}\n`
}

/** Literal, since mail programs do not support CSS variables; the dark colours apply in a media query. */
const colours = {
  light: { ground: '#edf0f4', sheet: '#ffffff', ink: '#141b26', dim: '#5f6b7a', line: '#dde2e9', link: '#124696' },
  dark: { ground: '#0e131a', sheet: '#171e28', ink: '#e8ecf2', dim: '#9aa6b5', line: '#2a3340', link: '#86b2f0' },
  accent: '#124696',
}
const faces: Record<Language, string> = {
  en_US: '',
  zh_CN: "'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',",
  ja_JP: "'Hiragino Sans','Yu Gothic','Noto Sans CJK JP',",
}

/** Black or white, whichever has more contrast. */
function inkOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2) as [
    number,
    number,
    number,
  ]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.3 ? colours.light.ink : colours.light.sheet
}

function page(texts: MailTexts, kind: KindTexts, facts: LetterFacts): string {
  const { language, link, platform } = facts
  const places = Object.fromEntries(Object.entries(values(facts)).map(([name, value]) => [name, escapeHtml(value)]))
  const html = (text: string) => filled(escapeHtml(text), places)
  const { light, dark } = colours
  const accent = themeColour.test(facts.colour) ? facts.colour : colours.accent
  const paragraph = (text: string, class_ = 'ink', style = '') =>
    `<p class="${class_}" style="margin:0 0 16px;color:${class_ === 'ink' ? light.ink : light.dim};${style}">${html(text)}</p>`
  const small = 'font-size:14px;line-height:1.6;'
  const button =
    link === null
      ? ''
      : `
            <table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 28px"><tr>
              <td bgcolor="${accent}" style="border-radius:6px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:13px 22px;color:${inkOn(accent)};font-weight:600;text-decoration:none">${html(kind.button as string)}</a></td>
            </tr></table>
            ${paragraph(texts.holds, 'dim', small)}
            ${paragraph(texts.copyLink, 'dim', `${small}margin-bottom:4px;`)}
            <p style="margin:0 0 16px;font-size:13px;line-height:1.5;word-break:break-all"><a class="link" href="${escapeHtml(link)}" style="color:${light.link}">${escapeHtml(link)}</a></p>`
  return `<!doctype html>
<html lang="${language.replace('_', '-')}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width,initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="supported-color-schemes" content="light dark">
  <title>${html(kind.subject)}</title>
  <style>
    @media (prefers-color-scheme: dark) {
      .ground { background: ${dark.ground} !important }
      .sheet { background: ${dark.sheet} !important; border-color: ${dark.line} !important }
      .ink { color: ${dark.ink} !important }
      .dim { color: ${dark.dim} !important }
      .link { color: ${dark.link} !important }
      .field { background: ${dark.ink} !important }
    }
  </style>
</head>
<body class="ground" style="margin:0;padding:0;background:${light.ground}">
  <table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:${light.ground};font-family:Inter,${faces[language]}-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.6">
    <tr><td align="center" style="padding:40px 16px">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;table-layout:fixed">
        <tr><td style="padding:0 4px 16px">
          <table role="presentation" cellpadding="0" cellspacing="0"><tr>
            <td bgcolor="${accent}" style="width:13px;height:18px;font-size:0">&nbsp;</td>
            <td class="field" bgcolor="${light.ink}" style="width:13px;height:18px;font-size:0">&nbsp;</td>
            <td class="ink" style="padding-left:10px;color:${light.ink};font-weight:600">${escapeHtml(platform)}</td>
          </tr></table>
        </td></tr>
        <tr><td class="sheet" style="background:${light.sheet};border:1px solid ${light.line};border-radius:8px;padding:32px 32px 20px;word-break:break-word;overflow-wrap:anywhere">
            <h1 class="ink" style="margin:0 0 20px;color:${light.ink};font-size:22px;line-height:1.3;font-weight:650">${html(kind.subject)}</h1>
            ${[texts.hello, ...kind.text].map((text) => paragraph(text)).join('\n            ')}${button}
            ${kind.otherwise ? paragraph(kind.otherwise, link ? 'dim' : 'ink', link ? small : '') : ''}
        </td></tr>
        <tr><td class="dim" style="padding:16px 4px 0;color:${light.dim};font-size:13px;line-height:1.6">${html(texts.foot)}</td></tr>
      </table>
    </td></tr>
  </table>
</body>
</html>
`
}
