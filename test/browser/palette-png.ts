import { crc32, deflateSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'

const COLORS = 256

/** The same picture with at most 256 colours, which is a third of its size for pages of text. */
export async function withPalette(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage()
  const { width, height, data } = await page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), {
      width: image.width,
      height: image.height,
    })
    const drawing = canvas.getContext('2d')
    drawing?.drawImage(image, 0, 0)
    const pixels = drawing?.getImageData(0, 0, image.width, image.height).data ?? []
    let text = ''
    for (let at = 0; at < pixels.length; at += 8_192)
      text += String.fromCharCode(...pixels.slice(at, at + 8_192))
    return { width: image.width, height: image.height, data: btoa(text) }
  }, png.toString('base64'))
  await page.close()
  const pixels = Buffer.from(data, 'base64')
  const colorAt = (pixel: number): number => pixels.readUIntBE(pixel * 4, 3)

  const counts = new Map<number, number>()
  for (let pixel = 0; pixel < width * height; pixel += 1)
    counts.set(colorAt(pixel), (counts.get(colorAt(pixel)) ?? 0) + 1)
  const palette = [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, COLORS)
    .map(([color]) => color)
  const places = new Map(palette.map((color, place) => [color, place]))
  const placeOf = (color: number): number => {
    const known = places.get(color)
    if (known !== undefined) return known
    const nearest = palette.reduce(
      (best, each, place) =>
        distance(each, color) < distance(palette[best] ?? 0, color) ? place : best,
      0,
    )
    places.set(color, nearest)
    return nearest
  }
  const rows = Buffer.alloc((width + 1) * height)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rows[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = placeOf(colorAt(pixel))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // Eight bits a pixel, each the place of its colour in the palette.
  head.set([8, 3, 0, 0, 0], 8)
  const colors = Buffer.from(
    palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]),
  )
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16)
  const green = ((one >> 8) & 255) - ((other >> 8) & 255)
  const blue = (one & 255) - (other & 255)
  return red * red + green * green + blue * blue
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
