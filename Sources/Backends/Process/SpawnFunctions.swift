import Foundation
import SharedLibraries

/// Functions of the C library that its Swift module omits.
struct SpawnFunctions: Sendable {
    typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    /// Creates a pipe whose ends have close-on-exec set from the start.
    let pipe2: @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    let addChangeFolder: @convention(c) (Actions, UnsafePointer<CChar>) -> Int32
    let addCloseFrom: @convention(c) (Actions, Int32) -> Int32

    init() throws(SharedLibraryError) {
        let library = try SharedLibrary("libc.so.6", package: "libc6")
        pipe2 = try library.function("pipe2")
        addChangeFolder = try library.function("posix_spawn_file_actions_addchdir_np")
        addCloseFrom = try library.function("posix_spawn_file_actions_addclosefrom_np")
    }
}
