import Foundation
import Synchronization

/// Where log lines go: a full disk, or a reader that has closed its end, costs lines and never the server.
///
/// A reader that keeps its end open and stops reading is waited for, once what the system holds for it is full.
final class LogOutput: Sendable {
    private struct State {
        var lost = 0
        /// A line was written in part: the next one begins on a line of its own.
        var isBroken = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes the line in one piece, so that lines of several threads do not mix.
    ///
    /// - Parameter remark: the line that says how many were lost before this one.
    func write(_ line: String, remark: (_ lost: Int) -> String) {
        state.withLock { state in
            let before = (state.isBroken ? "\n" : "") + (state.lost > 0 ? remark(state.lost) : "")
            if !before.isEmpty {
                let outcome = put(before)
                guard outcome == .whole else {
                    if outcome == .part { state.isBroken = true }
                    state.lost += 1
                    return
                }
                state = State()
            }
            switch put(line) {
            case .whole: break
            case .part:
                state.isBroken = true
                state.lost += 1
            case .nothing: state.lost += 1
            }
        }
    }

    private enum Outcome {
        case whole, part, nothing
    }

    private func put(_ text: String) -> Outcome {
        var text = text
        return text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...]).baseAddress,
                    bytes.count - written)
                if count > 0 {
                    written += count
                } else if count == 0 || errno != EINTR {
                    return written == 0 ? .nothing : .part
                }
            }
            return .whole
        }
    }
}
