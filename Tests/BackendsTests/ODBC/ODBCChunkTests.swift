import TestSupport
import Testing

@testable import ODBC

/// Values read in chunks from drivers with different behaviour, with a fake of SQLGetData.
@Suite("Values in chunks") struct ODBCChunkTests {
    private enum DriverBehaviour: CaseIterable {
        /// Reports the remaining length.
        case exact
        /// Never reports the length (SQL_NO_TOTAL).
        case noTotal
        /// Reports no length while there is more, and the remaining length at the end.
        case totalAtEnd
        /// Reports the remaining length, and leaves room rather than splitting a character.
        case short
    }

    private static let noTotal = -4

    /// Makes one call and returns the buffer as the driver leaves it, the indicator, and whether nothing was cut off.
    private func call(
        _ rest: ArraySlice<UInt16>, room: Int, _ driverBehaviour: DriverBehaviour
    ) -> (buffer: [UInt16], indicator: Int, isComplete: Bool, taken: Int) {
        let fits = rest.count < room
        var taken = fits ? rest.count : room - 1
        if !fits, driverBehaviour == .short, taken > 1 { taken -= 1 }
        var buffer = [UInt16](repeating: .max, count: room)
        for (index, unit) in (rest.prefix(taken) + [0]).enumerated() { buffer[index] = unit }
        let mentions =
            driverBehaviour == .exact || driverBehaviour == .short || (driverBehaviour == .totalAtEnd && fits)
        return (buffer, mentions ? rest.count * 2 : Self.noTotal, fits, taken)
    }

    @Test("A value is read completely, independent of the length that the driver reports")
    func property() {
        var random = SeededRandom(seed: 0xC4C4)
        for round in 0..<10_000 {
            let driverBehaviour = DriverBehaviour.allCases[round % DriverBehaviour.allCases.count]
            let room = Int.random(in: 4...9, using: &random)
            let value = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                [UInt16(0), 0x61, 0xD83D, 0xDE00, 0xFFFE][Int.random(in: 0..<5, using: &random)]
            }
            var rest = value[...]
            var read: [UInt16] = []
            for _ in 0...value.count {
                let (buffer, indicator, isComplete, taken) = call(rest, room: room, driverBehaviour)
                let chunk = ODBCChunk(buffer, indicator: indicator, hasTerminator: true, isComplete: isComplete)
                read += chunk.units
                rest = rest.dropFirst(taken)
                if chunk.isLast { break }
            }
            #expect(read == value, "\(driverBehaviour) \(room)")
            guard read == value else { return }
        }
    }

    @Test("Bytes have no terminator, and zeros among them are data")
    func bytes() {
        let cut = ODBCChunk([UInt8](repeating: 0, count: 4), indicator: 10, hasTerminator: false, isComplete: false)
        #expect(cut.units.count == 4 && !cut.isLast)
        let whole = ODBCChunk([UInt8(0), 1, 0xFF, 0xFF], indicator: 3, hasTerminator: false, isComplete: true)
        #expect(Array(whole.units) == [0, 1, 0xFF] && whole.isLast)
    }

    @Test("A warning about something else does not cause a second read of the value")
    func warning() {
        let chunk = ODBCChunk([UInt16(0x61), 0, .max, .max], indicator: 2, hasTerminator: true, isComplete: false)
        #expect(Array(chunk.units) == [0x61] && chunk.isLast)
    }

    @Test("No indicator leads beyond the buffer")
    func lies() {
        for indicator in [Int.max, 1 << 20, 9, 8, -4, -1000] {
            for isComplete in [true, false] {
                let chunk = ODBCChunk(
                    [UInt16](repeating: .max, count: 4), indicator: indicator, hasTerminator: true,
                    isComplete: isComplete)
                #expect(chunk.units.count <= 3)
            }
        }
    }
}
