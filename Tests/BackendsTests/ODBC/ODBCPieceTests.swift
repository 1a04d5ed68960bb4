import TestSupport
import Testing

@testable import ODBC

/// Values read in chunks from drivers of every habit: this stands in for SQLGetData.
@Suite("Values in chunks") struct ODBCPieceTests {
    private enum Habit: CaseIterable {
        /// Says how much there is.
        case exact
        /// Never says (SQL_NO_TOTAL).
        case noTotal
        /// Never says while there is more, and at the end how much was left.
        case totalAtEnd
        /// Says how much there is, and leaves room rather than cutting a letter in two.
        case short
    }

    private static let noTotal = -4

    /// One call: the buffer as the driver leaves it, the indicator, and whether it said that nothing was cut off.
    private func call(
        _ rest: ArraySlice<UInt16>, room: Int, _ habit: Habit
    ) -> (buffer: [UInt16], indicator: Int, isWhole: Bool, taken: Int) {
        let fits = rest.count < room
        var taken = fits ? rest.count : room - 1
        if !fits, habit == .short, taken > 1 { taken -= 1 }
        var buffer = [UInt16](repeating: .max, count: room)
        for (index, unit) in (rest.prefix(taken) + [0]).enumerated() { buffer[index] = unit }
        let says = habit == .exact || habit == .short || (habit == .totalAtEnd && fits)
        return (buffer, says ? rest.count * 2 : Self.noTotal, fits, taken)
    }

    @Test("whatever the driver says of its length, a value comes whole")
    func property() {
        var random = SeededRandom(seed: 0xC4C4)
        for round in 0..<10_000 {
            let habit = Habit.allCases[round % Habit.allCases.count]
            let room = Int.random(in: 4...9, using: &random)
            let value = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                [UInt16(0), 0x61, 0xD83D, 0xDE00, 0xFFFE][Int.random(in: 0..<5, using: &random)]
            }
            var rest = value[...]
            var read: [UInt16] = []
            for _ in 0...value.count {
                let (buffer, indicator, isWhole, taken) = call(rest, room: room, habit)
                let piece = ODBCPiece(buffer, indicator: indicator, hasTerminator: true, isWhole: isWhole)
                read += piece.units
                rest = rest.dropFirst(taken)
                if piece.isLast { break }
            }
            #expect(read == value, "\(habit) \(room)")
            guard read == value else { return }
        }
    }

    @Test("bytes have no terminator, and zeros among them are bytes")
    func bytes() {
        let cut = ODBCPiece([UInt8](repeating: 0, count: 4), indicator: 10, hasTerminator: false, isWhole: false)
        #expect(cut.units.count == 4 && !cut.isLast)
        let whole = ODBCPiece([UInt8(0), 1, 0xFF, 0xFF], indicator: 3, hasTerminator: false, isWhole: true)
        #expect(Array(whole.units) == [0, 1, 0xFF] && whole.isLast)
    }

    @Test("a warning about something else does not end in the value being read twice")
    func warning() {
        let piece = ODBCPiece([UInt16(0x61), 0, .max, .max], indicator: 2, hasTerminator: true, isWhole: false)
        #expect(Array(piece.units) == [0x61] && piece.isLast)
    }

    @Test("no indicator leads beyond the buffer")
    func lies() {
        for indicator in [Int.max, 1 << 20, 9, 8, -4, -1000] {
            for isWhole in [true, false] {
                let piece = ODBCPiece(
                    [UInt16](repeating: .max, count: 4), indicator: indicator, hasTerminator: true, isWhole: isWhole)
                #expect(piece.units.count <= 3)
            }
        }
    }
}
