import NIOCore
import NIOPosix

/// Brings what is to be sent into the system's memory, so that an event loop that sends it does not wait for the disk.
struct FileFetcher {
    /// The bytes that are fetched from the disk at a time.
    private static let piece: Int64 = 1 << 20
    /// For so long one piece is fetched after the other, which is long only for what is in memory already; then other files are
    /// opened and read.
    private static let turn: Duration = .milliseconds(2)

    let file: OpenFile
    /// On which files are read.
    let pool: NIOThreadPool
    let loop: any EventLoop

    /// In short pieces of work, between which the pool opens and reads other files; what is in memory needs none.
    ///
    /// Fails with ``OpenFileError``, or when the pool was shut down.
    func fetch(_ region: Range<Int64>) -> EventLoopFuture<Void> {
        if region.isEmpty || file.isInMemory(region) { return loop.makeSucceededVoidFuture() }
        return pool.runIfActive(eventLoop: loop) { [file] in try Self.fetch(region, of: file) }
            .assumeIsolated().flatMap { self.fetch($0) }.nonisolated()
    }

    /// Returns what it did not come to.
    private static func fetch(_ region: Range<Int64>, of file: OpenFile) throws(OpenFileError) -> Range<Int64> {
        var left = region
        let end = ContinuousClock.now + turn
        repeat {
            let next = left.lowerBound..<min(left.lowerBound + piece, left.upperBound)
            try file.fetch(next)
            left = next.upperBound..<left.upperBound
        } while !left.isEmpty && ContinuousClock.now < end
        return left
    }
}
