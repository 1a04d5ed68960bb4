import Foundation
import SharedLibraries

/// Functions of the C library that its Swift module leaves out.
struct SpawnFunctions: Sendable {
    typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    /// A pipe whose ends close by themselves in a new program, from the very moment they are there.
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
