"""The playground: one HTML file that runs tokenizers in a browser.

The file contains the engine, compiled to WebAssembly, and the models. It opens from disk and sends
nothing anywhere.

>>> import superword
>>> path = superword.playground.write("page.html", ["wiki.superword"], text="as well as the rest")
"""

from superword.playground.pages import LARGE, Models, page, write

__all__ = ["LARGE", "Models", "page", "write"]
