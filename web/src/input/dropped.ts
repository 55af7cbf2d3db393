// The files of a drop. A dropped directory stands for the files directly in it.

/** The directory that each file came from, for its name in the page. */
const directories = new WeakMap<File, string>();

/** A model "gpt2/tokenizer.json" should not be called just "tokenizer.json". */
export function displayName(file: File): string {
  const directory = directories.get(file);
  return directory ? `${directory}/${file.name}` : file.name;
}

function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function filesIn(directory: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = directory.createReader();
  const files: File[] = [];
  // A reader gives its entries in groups, and an empty group at the end.
  for (let group = await readSome(reader); group.length; group = await readSome(reader)) {
    for (const entry of group) {
      if (!entry.isFile) continue;
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      directories.set(file, directory.name);
      files.push(file);
    }
  }
  return files;
}

/** Reads what was dropped. Call it at once: later the browser has forgotten it. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  const found = [...transfer.items].map((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    return entry?.isDirectory ? filesIn(entry as FileSystemDirectoryEntry) : item.getAsFile();
  });
  return (await Promise.all(found)).flat().filter((file) => file !== null);
}
