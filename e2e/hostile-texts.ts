/**
 * Texts that try to run code or to make requests to other hosts, for every place where people write.
 *
 * They call `p_()`: the name is short, so that a call also fits into a name of 15 characters. Scripts, styles and frames request
 * `canary.example/run/`, which must never be requested; images from other hosts are allowed and use `canary.example/image/`.
 */
export const called = 'p_'
export const canary = 'https://canary.example/run/'
const image = 'https://canary.example/image/'

const html = [
  '<script>p_()</script>',
  '<script src=https://canary.example/run/s.js></script>',
  '<scr<script>ipt>p_()</scr</script>ipt>',
  '<img src=x onerror=p_()>',
  '<img src=x onerror="p_()" onload="p_()" style="width:1px">',
  '<IMG SRC=x ONERROR=p_()//',
  '<img/src=`x`/onerror=p_()>',
  '"><img src=x onerror=p_()>',
  `'-p_()-'"-p_()-"\`-p_()-\``,
  '<body onload=p_() onpageshow=p_()>',
  '<input autofocus onfocus=p_()>',
  '<details open ontoggle=p_()>x</details>',
  '<video><source onerror=p_()></video><audio src=x onerror=p_()></audio>',
  '<b onmouseover=p_() onanimationstart=p_() style="animation-name:x">x</b>',
  '<a href="javascript:p_()">x</a>',
  '<a href="java&#x09;script:p_()">x</a>',
  '<a href="&#106;avascript&colon;p_()">x</a>',
  '<a href="vbscript:p_()" target=_top>x</a>',
  '<a href="data:text/html,<script>opener.p_()</script>">x</a>',
  '<svg onload=p_()></svg>',
  '<svg><script>p_()</script></svg>',
  '<svg><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src=x onerror=p_()></body></foreignObject></svg>',
  '<svg><a><animate attributeName=href values=javascript:p_() begin=0s /><text x=20 y=20>x</text></a></svg>',
  '<svg><animate onbegin=p_() attributeName=x dur=1s /><set attributeName=onload to=p_() /></svg>',
  '<svg><use href="data:image/svg+xml;base64,PHN2Zy8+#x" /></svg>',
  '<math><maction actiontype="statusline#https://canary.example/run/" xlink:href="javascript:p_()">x</maction></math>',
  '<math><annotation-xml encoding="text/html"><img src=x onerror=p_()></annotation-xml></math>',
  '<math href="javascript:p_()"><mtext>x</mtext></math>',
  '<p style="background:url(https://canary.example/run/p)">x</p>',
  '<p style="width:expression(p_());-moz-binding:url(https://canary.example/run/b)">x</p>',
  '<style>@import "https://canary.example/run/i.css"; *{background:url(https://canary.example/run/u)!important}</style>',
  '<link rel=stylesheet href=https://canary.example/run/l.css><link rel=preload as=script href=https://canary.example/run/l.js>',
  '<iframe src="javascript:parent.p_()"></iframe>',
  '<iframe srcdoc="<script>parent.p_()</script>"></iframe>',
  '<iframe src=https://canary.example/run/f></iframe><frameset onload=p_()>',
  '<form action=https://canary.example/run/form><input name=password><button formaction=javascript:p_()>x</button></form>',
  '<object data=https://canary.example/run/o></object><embed src=https://canary.example/run/e>',
  '<object data="javascript:p_()"></object><applet code=x></applet>',
  '<base href=https://canary.example/run/>',
  '<meta http-equiv=refresh content="0;url=https://canary.example/run/m">',
  '<template><img src=x onerror=p_()></template><slot onslotchange=p_()></slot>',
  '<a id=location href=https://canary.example/run/>x</a><a id=location name=href>x</a>',
  '<img name=cookie src=x><form id=body><input name=attributes></form><b id=root>x</b>',
  '<img src="data:image/svg+xml,<svg xmlns=http://www.w3.org/2000/svg onload=p_()>">',
  `<img src="${image}html.png" srcset="${canary}srcset 2x">`,
]

/** These change their meaning when they are parsed as HTML a second time. */
const shifting = [
  '<noscript><p title="</noscript><img src=x onerror=p_()>"></noscript>',
  '<style><p title="</style><img src=x onerror=p_()>"></style>',
  '<title><p title="</title><img src=x onerror=p_()>"></title>',
  '<textarea><p title="</textarea><img src=x onerror=p_()>"></textarea>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=p_()&gt;">',
  '<svg></p><style><a id="</style><img src=x onerror=p_()>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=p_()>',
  '<!--><img src=x onerror=p_()>-->',
  '<![CDATA[><img src=x onerror=p_()>]]>',
  '<xmp><p title="</xmp><img src=x onerror=p_()>"></xmp>',
]

const markdown = [
  '[x](javascript:p_())',
  '[x](JaVaScRiPt:p_())',
  '[x](&#x6A;avascript:p_())',
  '[x](data:text/html;base64,PHNjcmlwdD5wXygpPC9zY3JpcHQ+)',
  '<javascript:p_()>',
  '[x][y]\n\n[y]: javascript:p_() "x"',
  `![x](${image}markdown.png "&quot; onerror=p_() x=&quot;")`,
  '![" onerror="p_()](x)',
  '[x](https://x" onmouseover="p_())',
  '[x](http://[) and [y](https://a:b:c/)',
  '<a href="http://[">x</a> <a href="https://exa mple:99999/">y</a>',
  '```"><img src=x onerror=p_()>\nx\n```',
  '```javascript onload=p_()\n</code></pre><script>p_()</script>\n```',
  '```html\n<img src=x onerror=p_()>\n```',
  '```__proto__\nx\n```\n\n```constructor\nx\n```',
  '`<img src=x onerror=p_()>`',
  '| <img src=x onerror=p_()> |\n|---|\n| <script>p_()</script> |',
  '- [ ] <input onfocus=p_() autofocus>',
]

const formulas = [
  '$\\href{javascript:p_()}{x}$',
  '$\\htmlData{onload=p_()}{x} \\htmlId{location}{x} \\htmlClass{x}{x}$',
  '$\\htmlStyle{background:url(https://canary.example/run/k)}{x}$',
  '$\\url{javascript:p_()}$',
  '$\\includegraphics{https://canary.example/run/g}$',
  '$\\text{<img src=x onerror=p_()>}$',
  '$$\n\\def\\x{\\x\\x}\\x\n$$\n',
  '<span class="formula">0</span><span class="formula">__proto__</span>',
]

/** Nothing in these may run; they must be shown as typed. */
const plain = [
  '{{name}} {{title}} {{- team}} {{team, uppercase}}',
  '$t(ui.save) $t(ui.delete, {"count": 2})',
  '&lt;script&gt;p_()&lt;/script&gt; &amp;amp; &#60;b&#62;',
  'zero\u200bwidth \u200d\u2060 \u202eright to left\u202c \u2066isolated\u2069',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must stay as it is
  '{mark|x} {a|b} %s %d ${p_()} #{p_()} <%= p_() %>',
]

/** Each text is used alone; all of them together make one text. */
export const hostileTexts: readonly string[] = [...html, ...shifting, ...markdown, ...formulas, ...plain]

/**
 * All texts as one Markdown text; the words at its end show that it was rendered. A text that leaves a raw element open would
 * swallow everything after it and hide it from the test, so such a text is only used alone.
 */
export const allHostile = (end: string): string =>
  [...hostileTexts.filter((text) => !text.includes('<mglyph>')), end].join('\n\n')

/** Names of at most 20 characters. */
export const hostileNames: readonly string[] = [
  '<svg onload=p_()>',
  '<img onerror=p_()>',
  '<script>p_()//',
  '<b>bold</b>',
  '</b></p></div>',
  '" onfocus=p_() x="',
  "' onfocus=p_() x='",
  'javascript:p_()',
  '{{team}}',
  '{{name}} {{- x}}',
  '$t(ui.save)',
  '&lt;b&gt;&amp;&#60;',
  '</title><q>',
  '__proto__',
  'constructor',
  '{mark|x}{a|b}',
  // Names with characters that reverse or hide text are refused; stacked combining marks are allowed.
  'Z\u0336\u0337a\u0338l\u0335go \u0336',
  '<1/><0>x</0><b/>',
  'WWWWWWWWWWWWWWWWWWWW',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must stay as it is
  '`${p_()}`%s%d%',
]

/** User names have 3 to 15 characters. */
export const hostileUserNames: readonly string[] = [
  '<q oncut=p_()>',
  '<svg/onload=p_>',
  'javascript:p_()',
  '{{userName}}',
  '$t(ui.save)',
  '&lt;i&gt;&amp;',
  '"onfocus=p_()',
  '</title><b>',
  '__proto__',
  'constructor',
  'Z\u0336\u0337a\u0338lgo\u0336',
  '<i>slanted</i>',
]

/** The texts that fit into a field of `length` characters. */
export const fitting = (length: number): readonly string[] => hostileTexts.filter((text) => text.length <= length)
