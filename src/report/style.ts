/** The page's one style sheet: light and dark, 390 to 1440 pixels, screen and paper. Text contrast is at least 4.5 in both schemes. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--text:#1a1d21;--soft:#555d66;--line:#d5d9df;--link:#0b57a8;
--good:#0a6b3c;--bad:#b3201f;--open:#7a5200;--na:#555d66;--mark:#ffe08a;--mark-text:#1a1d21;--bad-bg:#fdf0ef}
@media (prefers-color-scheme:dark){:root{--bg:#15181c;--panel:#1e2228;--text:#e8eaed;--soft:#a9b1bb;--line:#3a4049;--link:#8ab8f0;
--good:#6ecf9b;--bad:#ff9a94;--open:#f0c36a;--na:#a9b1bb;--mark:#6b5300;--mark-text:#fff;--bad-bg:#33201f}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:76rem;margin:0 auto;padding:0 1rem}
h1{font-size:1.7rem;line-height:1.2;margin:1.5rem 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
summary h3{display:inline}
h4,h5{font-size:1rem;margin:1rem 0 .5rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,button:focus-visible,[tabindex]:focus-visible,input:focus-visible{outline:3px solid var(--link);outline-offset:2px}
[tabindex="-1"]:focus:not(:focus-visible){outline:none}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.5rem}
.lead{font-size:1.15rem;max-width:56rem}
.soft,.note,.by,.brief,caption,figcaption{color:var(--soft)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.25rem 1.5rem;margin:1rem 0;padding:0}
.facts div{border-top:1px solid var(--line);padding:.4rem 0;min-width:0}
.facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;overflow-wrap:anywhere}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0;margin:.75rem 0}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.25rem 0;font-size:.9rem;max-width:min(60rem,calc(100vw - 2rem))}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
thead th{font-size:.85rem;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
th[scope=row]{font-weight:600;overflow-wrap:break-word;min-width:8rem;max-width:24rem}
th code{overflow-wrap:normal}
.places{min-width:16rem}
.range{color:var(--soft);font-size:.85rem;display:block}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;font-weight:600}
th button::after{content:" ↕";color:var(--soft)}
th[aria-sort=ascending] button::after{content:" ↑";color:var(--text)}
th[aria-sort=descending] button::after{content:" ↓";color:var(--text)}

.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;padding:0;margin:.3rem 0;font-size:.9rem;overflow-wrap:anywhere}
figure{margin:1rem 0}figure svg{display:block;max-width:none;height:auto;background:none;color:var(--text)}
.verdict{font-weight:600;white-space:nowrap}
.verdict.success{color:var(--good)}.verdict.fail{color:var(--bad)}.verdict.unscored{color:var(--open)}.verdict.not_applicable{color:var(--na)}
details{min-width:0}summary{cursor:pointer;overflow-wrap:anywhere}
.rollout{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:0 .75rem}
.rollout>summary{padding:.6rem 0;display:flex;flex-wrap:wrap;gap:.1rem 1rem;align-items:baseline}
.rollout>summary::before{content:"▸";color:var(--soft)}.rollout[open]>summary::before{content:"▾"}
.rollout>summary::-webkit-details-marker{display:none}
.rollout:target,tr:target,.message:target{outline:2px solid var(--link);outline-offset:-2px}
.checks td,.checks th{overflow-wrap:anywhere}
.checks p{margin:.1rem 0}.checks .description{font-weight:400;color:var(--soft);max-width:28rem}
.evidence{margin:.2rem 0;padding-left:1.2rem}.evidence q{overflow-wrap:anywhere}
.judge{font-weight:600}
code,pre{font:.875rem/1.45 ui-monospace,monospace}code{overflow-wrap:anywhere}
pre.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;max-height:32rem;overflow-y:auto;unicode-bidi:plaintext}
.assistant>pre.text,.user>pre.text{font-family:inherit;font-size:1rem;max-height:none}
.message{border-left:3px solid var(--line);padding:.25rem 0 .25rem .75rem;margin:.75rem 0;min-width:0}
.message.user{background:var(--panel)}
.message.broken{border-left-color:var(--bad);background:var(--bad-bg)}
.who,.label{font-size:.85rem;color:var(--soft);margin:.25rem 0}.who{font-weight:600}
.pin{color:var(--bad);font-weight:600;margin:.25rem 0;overflow-wrap:anywhere}
.tool,.thinking,.subagent,.system,.given{border:1px solid var(--line);border-radius:4px;margin:.4rem 0;padding:.25rem .6rem;background:var(--bg)}
.tool.pinned{border-color:var(--bad)}
.tool-name{font-weight:600;font-family:ui-monospace,monospace}
.tag{font-size:.8rem;border:1px solid var(--line);border-radius:3px;padding:0 .3rem;color:var(--soft)}
.compaction{border-top:2px dashed var(--line);border-bottom:2px dashed var(--line);padding:.3rem;text-align:center;color:var(--soft)}
mark{background:var(--mark);color:var(--mark-text)}
footer{margin:3rem auto 2rem;color:var(--soft)}
@media (max-width:640px){th code{overflow-wrap:anywhere}th,td{padding:.35rem .4rem}.checks,.checks tbody,.checks tr,.checks th,.checks td{display:block;border:0;padding:.1rem 0}
.checks thead{position:absolute;left:-9999px}.checks tr{border-bottom:1px solid var(--line);padding:.5rem 0}}
@media print{header,main,footer{max-width:none}nav,.skip{display:none}pre.text{max-height:none}a{color:inherit}
.rollout{break-inside:auto}tr,figure,.message>p{break-inside:avoid}th button::after{content:""}}
`;
