/// A table with a caption. The first cell of each row is its header.
struct Table: Sendable {
    let caption: String
    let columns: [String]
    let rows: [Row]
    /// The sentence for a table without rows.
    let emptyText: String?

    init(_ caption: String, _ columns: [String], _ rows: [[Cell]], empty: String) {
        self.caption = caption
        self.columns = columns
        self.rows = rows.map { cells in
            Row(
                cells: zip(cells, columns).enumerated().map { index, pair in
                    pair.0.placed(in: pair.1, isHeader: index == 0)
                })
        }
        emptyText = rows.isEmpty ? empty : nil
    }
}

struct Row: Sendable {
    let cells: [Cell]
}

/// A value in a table or a list of facts.
struct Cell: Sendable, ExpressibleByStringLiteral {
    /// The sign before a value. It only repeats the text, so that color and shape are not needed to read it.
    enum Symbol: String, Sendable {
        case good, problem, unknown
    }

    let cellText: String
    /// The values of a cell with several, each in a line of its own; nil for a single value.
    let cellList: CellList?
    let cellLink: String?
    let cellSymbol: String?
    private(set) var cellColumn = ""
    private(set) var cellIsHeader = false

    /// - Parameter path: The path of a link below that of the console; nil for none.
    init(_ text: String, link path: String? = nil, symbol: Symbol? = nil) {
        cellText = text
        cellList = nil
        cellLink = path.map { Console.root + $0 }
        cellSymbol = symbol?.rawValue
    }

    /// A cell with several values. They are a list, so that a line break in a value begins no line that looks like another value.
    init(lines: [String]) {
        cellText = lines.isEmpty ? "–" : ""
        cellList = lines.isEmpty ? nil : CellList(cellLines: lines)
        cellLink = nil
        cellSymbol = nil
    }

    init(stringLiteral text: String) { self.init(text) }

    fileprivate func placed(in column: String, isHeader: Bool) -> Cell {
        var cell = self
        cell.cellColumn = column
        cell.cellIsHeader = isHeader
        return cell
    }
}

struct CellList: Sendable {
    let cellLines: [String]
}
