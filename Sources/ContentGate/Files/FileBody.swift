import Hummingbird
import NIOPosix

/// The bytes of a file as the body of an answer.
///
/// An error while it is written ends the connection before the promised length, which tells the app that the file is not
/// whole. The last bytes are always read and checked here: whatever was sent before them, by whatever means, a file that changed
/// meanwhile never ends as a whole answer.
struct FileBody: Sendable {
    /// The bytes read at a time; a download then holds one chunk of memory.
    static let chunk: Int64 = 262_144
    /// The last bytes, which are read where the others are sent: copying costs several times what sending does.
    private static let tail: Int64 = 4_096

    let file: OpenFile
    /// Not empty.
    let part: Range<Int64>
    /// On which files are read.
    let pool: NIOThreadPool
    /// Sends all but the last bytes; nil where everything is read in chunks.
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

    /// Returns the offset from which to read: that of the last bytes where the connection sends files, the first byte's where not.
    private func sendRegions() async throws -> Int64 {
        let end = part.upperBound - Self.tail
        // Nothing is fetched for a connection that sends nothing itself.
        guard let sender, end - part.lowerBound >= Self.chunk, await sender.canSend() else { return part.lowerBound }
        try await sender.send(part.lowerBound..<end, of: file, reading: pool)
        return end
    }
}
