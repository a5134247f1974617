import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Maybe } from '../core/missing.ts';
import { printable } from '../core/text.ts';
import { html, type Markup, scrolling, trusted } from './markup.ts';

/** A cell of the heat map; a null value is a category nobody has. */
export interface HeatCell {
  column: string;
  row: string;
  value: Maybe;
}

/** A dot with its interval. */
export interface IntervalDot {
  label: string;
  value: number;
  low: number;
  high: number;
}

const label = (text: string, longest = 26): string => {
  const clean = printable(text);
  return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
};

/** Room for row labels at 12 pixels. */
const gutter = (labels: readonly string[]): number => 16 + 7 * Math.max(0, ...labels.map((l) => label(l).length));

/** Plot draws into a document of our own; the SVG is a file of its own as well, hence `xmlns`. */
const draw = (title: string, options: Plot.PlotOptions): Markup => {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const svg = Plot.plot({ ...options, document: document as never });
  // Plot names its groups for people who style them; on groups without a role such names are of no use to a reader.
  for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('font-size', '12');
  svg.setAttribute('aria-label', printable(title));
  return trusted(svg.outerHTML);
};

const figureOf = (title: string, svg: Markup): Markup =>
  html`<figure>${scrolling(title, svg)}<figcaption>${title}</figcaption></figure>`;

/** Ink that keeps a contrast of 4.5 on the cell; `depth` is 0 at the light end of the colours, 1 at the dark one. */
const ink = (depth: number): string => (depth > 0.68 ? '#fff' : '#000');

/** Pass share by category and model, 0 to 1, as SVG in a figure. Colours run from the lowest tenth that occurs up to 1. */
export const heatMap = (title: string, cells: readonly HeatCell[]): Markup => {
  const there = cells.flatMap((c) => (c.value === null ? [] : [{ x: c.column, y: c.row, value: c.value }]));
  const columns = [...new Set(there.map((c) => c.x))];
  const rows = [...new Set(there.map((c) => c.y))];
  const lowest = Math.min(0.9, Math.floor(Math.min(1, ...there.map((c) => c.value)) * 10) / 10);
  const depth = (d: { value: number }): number => (d.value - lowest) / (1 - lowest);
  const svg = draw(title, {
    width: Math.max(330, Math.min(1150, gutter(rows) + 20 + columns.length * 110)),
    height: 60 + rows.length * 44,
    marginLeft: gutter(rows),
    marginTop: 44,
    marginBottom: 8,
    x: { axis: 'top', label: null, tickSize: 0, domain: columns, tickFormat: (c: string) => label(c, 16) },
    y: { label: null, tickSize: 0, domain: rows, tickFormat: (r: string) => label(r) },
    color: { type: 'linear', domain: [lowest, 1], range: ['#f3f6fb', '#0b3f7a'], interpolate: 'rgb' },
    marks: [
      Plot.cell(there, { x: 'x', y: 'y', fill: 'value', inset: 1 }),
      Plot.text(there, {
        x: 'x',
        y: 'y',
        text: (d: { value: number }) => (d.value * 100).toFixed(0),
        fill: (d: { value: number }) => ink(depth(d)),
      }),
    ],
  });
  return figureOf(title, svg);
};

/** Figures with their 95% intervals, one row each, as SVG in a figure. */
export const intervalChart = (title: string, dots: readonly IntervalDot[]): Markup => {
  const svg = draw(title, {
    width: 640,
    height: 64 + dots.length * 30,
    marginLeft: gutter(dots.map((d) => d.label)),
    marginBottom: 40,
    x: { domain: [0, 100], label: 'per cent', grid: true },
    y: { label: null, domain: dots.map((d) => d.label), tickSize: 0, tickFormat: (l: string) => label(l) },
    marks: [
      Plot.ruleY(dots, {
        y: 'label',
        x1: (d: IntervalDot) => d.low * 100,
        x2: (d: IntervalDot) => d.high * 100,
        strokeWidth: 3,
        stroke: '#6f93c3',
      }),
      Plot.dot(dots, { y: 'label', x: (d: IntervalDot) => d.value * 100, r: 5, fill: 'currentColor' }),
    ],
  });
  return figureOf(title, svg);
};

/** A line of a chart; a null y is a gap. */
export interface Series {
  name: string;
  points: { x: number | string; y: Maybe }[];
}

export interface LineChartOptions {
  x: string;
  y: string;
  /** A curve that stays until its next point (survival) instead of straight lines. */
  step?: boolean;
  /** Order of the places on x, when they are words. */
  places?: readonly string[];
  /** Largest and smallest y, the first drawn at the top. Default 100 and 0. */
  range?: [top: number, bottom: number];
}

/* Told apart on white and on black, and by symbol where colours are not seen. */
const COLORS = ['#3b7dd8', '#d9822b', '#2e9e6b', '#d05a5a', '#8a63d2', '#a07050', '#c75ba1', '#7f8790'];
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye', 'times'] as const;
const SIGNS = ['●', '■', '▲', '◆', '★', '✚', 'Y', '✖'];

/** Lines over an axis of numbers or places, with a legend by colour and symbol. */
export const lineChart = (title: string, series: readonly Series[], options: LineChartOptions): Markup => {
  const points = series.flatMap((s, i) => s.points.map((p) => ({ ...p, series: i })));
  const [top, bottom] = options.range ?? [100, 0];
  const color = (d: { series: number }): string => COLORS[d.series % COLORS.length] ?? '';
  const svg = draw(title, {
    width: 640,
    height: 300,
    marginBottom: 44,
    x: {
      label: options.x,
      ...(options.places === undefined ? {} : { type: 'point', domain: [...options.places], padding: 0.3 }),
    },
    y: { label: options.y, domain: [bottom, top], grid: true },
    marks: [
      Plot.line(points, {
        x: 'x',
        y: 'y',
        z: 'series',
        stroke: color,
        strokeWidth: 2,
        curve: options.step === true ? 'step-after' : 'linear',
      }),
      ...series.map((_, i) =>
        Plot.dot(
          points.filter((p) => p.series === i && p.y !== null),
          {
            x: 'x',
            y: 'y',
            r: 4,
            symbol: SYMBOLS[i % SYMBOLS.length] ?? 'circle',
            fill: COLORS[i % COLORS.length] ?? '',
          },
        ),
      ),
    ],
  });
  const legend = html`<ul class="legend">${series.map((s, i) => html`<li><span aria-hidden="true" style="color:${COLORS[i % COLORS.length] ?? ''}">${SIGNS[i % SIGNS.length] ?? ''}</span> ${s.name}</li>`)}</ul>`;
  return html`<figure>${scrolling(title, svg)}${legend}<figcaption>${title}</figcaption></figure>`;
};

/** A chart as a file of its own. */
export interface Figure {
  /** File name without its ending: the place in the page, and the title in short. */
  name: string;
  svg: string;
}

/** The charts of a page that was made here. Text from outside is escaped, so an `<svg` in it can only be one of ours. */
export const figuresOf = (page: string): Figure[] =>
  [...page.matchAll(/<svg[^>]* aria-label="([^"]*)"[\s\S]*?<\/svg>/g)].map(([svg, title = ''], i) => ({
    name: `${i}-${title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/-$/, '')}`,
    svg,
  }));
