//! Graphics drivers for processes of tests, and the Vulkan layer of `tests/vulkan_faults` that makes things go wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A driver that can replace the machine's drivers for a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Mesa's software Vulkan.
    Llvmpipe,
    /// Chromium's, with 256 threads a workgroup.
    SwiftShader,
    /// Mesa's software OpenGL.
    OpenGl,
}

/// Where `scripts/setup.sh` puts SwiftShader and the Khronos validation layer; another folder is named by this
/// variable.
const FOLDER_VARIABLE: &str = "SONOBRUSH_SWIFTSHADER";

fn chromium_folder() -> PathBuf {
    let made = || Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("swiftshader");
    std::env::var_os(FOLDER_VARIABLE).map_or_else(made, PathBuf::from)
}

impl Driver {
    pub const ALL: [Driver; 3] = [Driver::Llvmpipe, Driver::SwiftShader, Driver::OpenGl];

    /// A part of the adapter's name, and its interface.
    pub fn names(self) -> [&'static str; 2] {
        match self {
            Driver::Llvmpipe => ["llvmpipe", "Vulkan"],
            Driver::SwiftShader => ["SwiftShader", "Vulkan"],
            Driver::OpenGl => ["llvmpipe", "Gl"],
        }
    }

    /// The file that names it to the Vulkan loader; one that names none where it is OpenGL, and none if it is missing.
    fn icd(self) -> Option<PathBuf> {
        let file = match self {
            Driver::OpenGl => return Some("/dev/null".into()),
            Driver::SwiftShader => chromium_folder().join("vk_swiftshader_icd.json"),
            Driver::Llvmpipe => {
                let mut files = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?.flatten().map(|entry| entry.path());
                let is_it =
                    |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"lvp"));
                files.find(is_it)?
            }
        };
        file.exists().then_some(file)
    }

    /// Whether this machine has its files.
    pub fn is_there(self) -> bool {
        self.icd().is_some()
    }

    /// Gives a process this driver and no other.
    ///
    /// # Panics
    /// If it is [not there](Driver::is_there).
    pub fn give<'c>(self, command: &'c mut Command, folder: &Path) -> &'c mut Command {
        let icd = self.icd().unwrap_or_else(|| panic!("{self:?} is not there"));
        command.env("VK_ICD_FILENAMES", &icd).env("VK_DRIVER_FILES", &icd);
        // Where it is missing Mesa's Vulkan driver complains.
        command.env("XDG_RUNTIME_DIR", folder)
    }
}

/// A built layer in a folder of its own, with the file that names it to the loader.
fn layer_folder(name: &str, file: &Path, manifest: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let text = manifest.replace("LIBRARY", &file.display().to_string());
    let half = tempfile::NamedTempFile::new_in(&folder).unwrap();
    std::fs::write(half.path(), text).unwrap();
    half.persist(folder.join(format!("VkLayer_{name}.json"))).unwrap();
    folder
}

/// The folder of the layer that makes things go wrong, built once for a process.
///
/// # Panics
/// If it does not build: `scripts/setup.sh` installs what it needs.
pub fn faults_layer() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vulkan_faults");
        std::fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vulkan_faults/vulkan_faults.c");
        let library = tempfile::NamedTempFile::new_in(&folder).unwrap();
        let mut compile = Command::new("cc");
        compile.args(["-w", "-shared", "-fPIC", "-O1", "-o"]).arg(library.path()).arg(source);
        let output = compile.args(["-lX11-xcb", "-lxcb"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = folder.join("libvulkan_faults.so");
        library.persist(&file).unwrap();
        let manifest = r#"{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_FAULTS", "type": "GLOBAL",
            "library_path": "LIBRARY", "api_version": "1.3.0", "implementation_version": "1", "description": "faults",
            "functions": {"vkGetInstanceProcAddr": "L_GetInstanceProcAddr", "vkGetDeviceProcAddr": "L_GetDeviceProcAddr"}}}"#;
        layer_folder("vulkan_faults", &file, manifest)
    })
}

/// Puts the layer that makes things go wrong in front of a process' driver; what goes wrong say further variables.
pub fn with_faults(command: &mut Command) -> &mut Command {
    command.env("VK_LAYER_PATH", faults_layer()).env("VK_INSTANCE_LAYERS", "VK_LAYER_FAULTS")
}

/// Turns the validation layer of `folders` on, with its checks of synchronisation: of what shaders access, too, which the
/// layer leaves out by itself.
pub fn with_validation<'c>(command: &'c mut Command, folders: &[&Path]) -> &'c mut Command {
    command.env("VK_LAYER_PATH", std::env::join_paths(folders).unwrap()).env("WGPU_VALIDATION", "1");
    command.env("VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC", "true")
}

/// The folder of the Khronos validation layer that is newer than the interface that we use, if it is there.
pub fn validation_layer() -> Option<PathBuf> {
    let file = chromium_folder().join("libVkLayer_khronos_validation.so");
    let manifest = r#"{"file_format_version": "1.1.0", "layer": {"name": "VK_LAYER_KHRONOS_validation", "type": "GLOBAL",
        "library_path": "LIBRARY", "api_version": "1.4.300", "implementation_version": "1", "description": "validation",
        "instance_extensions": [{"name": "VK_EXT_debug_report", "spec_version": "9"},
            {"name": "VK_EXT_debug_utils", "spec_version": "1"}, {"name": "VK_EXT_validation_features", "spec_version": "2"},
            {"name": "VK_EXT_layer_settings", "spec_version": "2"}]}}"#;
    file.exists().then(|| layer_folder("khronos_validation", &file, manifest))
}
