/// A protection against cells that a spreadsheet would run as formulas. Source: Pitfall 13, “Injection into the
/// subscriber system”.
///
/// The rule: a cell whose first byte after any number of apostrophes is `=`, `+`, `-`, `@`, tab or CR gets one more
/// apostrophe in front. Every other cell stays unchanged. Removing one apostrophe from exactly such cells restores
/// the original.
public enum SpreadsheetFormula {
    private static let apostrophe = UInt8(ascii: "'")

    public static func neutralise(_ cell: String) -> String {
        isDangerous(cell.utf8) ? "'" + cell : cell
    }

    /// Reverses ``neutralise(_:)``.
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
