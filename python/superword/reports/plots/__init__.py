"""Charts as SVG, without a plotting library: lines, bars and heat maps.

Each chart is plain data with a method `draw(width, id)`, which returns an `<svg>` element for a
page with `superword/reports/style.css`. Colors come from the style sheet, so that a chart follows
the light or dark scheme of the page. `standalone` makes a complete SVG file, which is also what a
notebook shows.
"""

from superword.reports.plots.alone import standalone
from superword.reports.plots.bars import BarChart, Bars
from superword.reports.plots.heat import HeatMap
from superword.reports.plots.lines import LineChart, Panel, Series
from superword.reports.plots.scales import Axis

__all__ = ["Axis", "BarChart", "Bars", "HeatMap", "LineChart", "Panel", "Series", "standalone"]
