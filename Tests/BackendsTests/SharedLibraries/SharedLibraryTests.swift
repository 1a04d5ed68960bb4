import SharedLibraries
import Testing

@Suite("Shared library loaded at run time")
struct SharedLibraryTests {
    @Test("A missing library is reported with the name of its Debian package")
    func missing() {
        let error = #expect(throws: SharedLibraryError.self) {
            try SharedLibrary("libno-such-thing.so.9", package: "libno-such-thing9")
        }
        #expect(
            error?.description
                == "needs libno-such-thing.so.9, which is not installed: apt-get install libno-such-thing9")
    }

    @Test("Existing functions are found, and a missing one is reported by name")
    func functions() throws {
        let library = try SharedLibrary("libm.so.6", package: "libc6")
        let cosine: @convention(c) (Double) -> Double = try library.function("cos")
        #expect(cosine(0) == 1)
        #expect(
            throws: SharedLibraryError.tooOld(library: "libm.so.6", function: "no_such_function", package: "libc6")
        ) {
            let _: @convention(c) () -> Void = try library.function("no_such_function")
        }
    }
}
