/** The data of each event of a server-sent event stream; comments, which only keep it alive, are skipped. */
export async function* eventData(response: Response): AsyncIterable<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let held = '';
  for await (const chunk of response.body) {
    held += decoder.decode(chunk as Uint8Array, { stream: true });
    const events = held.split(/\r?\n\r?\n/);
    held = events.pop() ?? '';
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5));
      if (data.length > 0) yield data.join('\n');
    }
  }
}
