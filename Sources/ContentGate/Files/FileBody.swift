import Hummingbird
import NIOPosix

/// The bytes of a file as the body of an answer.
///
/// An error while it is written ends the connection before the promised length, which tells the app that the file is not
/// whole. The last chunk is always read and checked here: whatever was sent before it, by whatever means, a file that changed
/// meanwhile never ends as a whole answer.
struct FileBody: Sendable {
    /// The bytes read at a time; a download then holds one chunk of memory.
    static let chunk: Int64 = 262_144
    /// The bytes that the system is asked to send at a time: few at first and for a slow client, so that they are still in its
    /// memory when the last of them is taken, and twice as many each time for a quick one, because every asking costs something.
    static let regions: ClosedRange<Int64> = 1 << 20...8 << 20
    /// A client that takes a region in less than this is quick.
    private static let quick: Duration = .milliseconds(250)
    /// The bytes that are fetched from the disk at a time.
    private static let piece: Int64 = 1 << 20
    /// For so long one piece is fetched after the other, which is long only for what is in memory already; then other files are
    /// opened and read.
    private static let turn: Duration = .milliseconds(2)

    let file: OpenFile
    /// Not empty.
    let part: Range<Int64>
    /// On which files are read.
    let pool: NIOThreadPool
    /// Sends all but the last chunk; nil where everything is read in chunks.
    let sender: FileSender?

    func write(to writer: inout any ResponseBodyWriter) async throws {
        var offset = try await sendRegions()
        while offset < part.upperBound {
            let (start, count) = (offset, Int(min(Self.chunk, part.upperBound - offset)))
            let chunk = try await pool.runIfActive { [file] in try file.read(at: start, upTo: count) }
            offset += Int64(chunk.readableBytes)
            try await writer.write(chunk)
        }
        try await writer.finish(nil)
    }

    /// Returns the offset from which to read: the last chunk's where the connection sends files, the first byte's where not.
    private func sendRegions() async throws -> Int64 {
        let end = part.upperBound - Self.chunk
        // Nothing is fetched for a connection that sends nothing itself.
        guard let sender, end - part.lowerBound >= Self.chunk, await sender.canSend() else { return part.lowerBound }
        var length = Self.regions.lowerBound
        var region = self.region(from: part.lowerBound, Self.regions.lowerBound, before: end)
        try await fetch(region)
        while !region.isEmpty {
            // The disk works on the next region while the network works on this one.
            let next = self.region(from: region.upperBound, length, before: end)
            async let fetched: Void = fetch(next)
            let start = ContinuousClock.now
            try await sender.send(file, region)
            let isQuick = ContinuousClock.now - start < Self.quick
            length = isQuick ? min(2 * length, Self.regions.upperBound) : Self.regions.lowerBound
            try await fetched
            region = next
        }
        return end
    }

    private func region(from start: Int64, _ length: Int64, before end: Int64) -> Range<Int64> {
        start..<min(start + length, end)
    }

    /// In short pieces of work, between which the pool opens and reads other files; what is in memory needs none.
    private func fetch(_ region: Range<Int64>) async throws {
        if region.isEmpty { return }
        if file.isInMemory(region) {
            guard file.isUnchanged else { throw OpenFileError.changed }
            return
        }
        var left = region
        while !left.isEmpty {
            left = try await pool.runIfActive { [file, left] in
                var left = left
                let end = ContinuousClock.now + Self.turn
                repeat {
                    let piece = left.lowerBound..<min(left.lowerBound + Self.piece, left.upperBound)
                    try file.fetch(piece)
                    left = piece.upperBound..<left.upperBound
                } while !left.isEmpty && ContinuousClock.now < end
                return left
            }
        }
    }
}
