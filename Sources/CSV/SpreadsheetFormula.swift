/// Keeps a spreadsheet from running a cell as a formula (PITFALLS row 13).
///
/// The rule: a cell whose first byte after any number of apostrophes is `=`, `+`, `-`, `@`, tab or CR gets one more
/// apostrophe in front; every other cell stays as it is. Taking one apostrophe from exactly such cells gives the original
/// back.
public enum SpreadsheetFormula {
    private static let apostrophe = UInt8(ascii: "'")

    public static func neutralise(_ cell: String) -> String {
        isDangerous(cell.utf8) ? "'" + cell : cell
    }

    /// Undoes ``neutralise(_:)``.
    public static func restore(_ cell: String) -> String {
        guard cell.utf8.first == apostrophe, isDangerous(cell.utf8) else { return cell }
        return String(decoding: cell.utf8.dropFirst(), as: UTF8.self)
    }

    private static func isDangerous(_ cell: String.UTF8View) -> Bool {
        switch cell.first(where: { $0 != apostrophe }) {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        default: false
        }
    }
}
