// Fault-injecting Vulkan layer: limits, lost device, failed allocations, invalid calls.
#include <X11/Xlib-xcb.h>
#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <stdatomic.h>
#include <unistd.h>
#include <fcntl.h>
static PFN_vkGetInstanceProcAddr gipa; static PFN_vkGetDeviceProcAddr gdpa; static VkInstance inst;
static PFN_vkGetPhysicalDeviceProperties real_props; static PFN_vkGetPhysicalDeviceProperties2 real_props2;
static PFN_vkQueueSubmit real_submit; static PFN_vkAllocateMemory real_alloc; static PFN_vkQueueSubmit2 real_submit2; static PFN_vkFreeMemory real_free;
static atomic_long n_submit, n_alloc, bytes_alloc; static atomic_int lost;
static long env(const char*n,long d){const char*s=getenv(n);return s?atol(s):d;}
static void fix(VkPhysicalDeviceLimits*l){
  long t=env("L_THREADS",0), b=env("L_SHARED",0), s=env("L_SSBO",0), r=env("L_RANGE",0), tex=env("L_TEX",0);
  if(t){l->maxComputeWorkGroupInvocations=t;l->maxComputeWorkGroupSize[0]=t;}
  if(b)l->maxComputeSharedMemorySize=b; if(s)l->maxPerStageDescriptorStorageBuffers=s; if(r)l->maxStorageBufferRange=r;
  if(tex){l->maxImageDimension2D=tex;}
}
static VKAPI_ATTR void VKAPI_CALL props(VkPhysicalDevice p,VkPhysicalDeviceProperties*o){real_props(p,o);fix(&o->limits);}
static VKAPI_ATTR void VKAPI_CALL props2(VkPhysicalDevice p,VkPhysicalDeviceProperties2*o){real_props2(p,o);fix(&o->properties.limits);}
// Whether this submission is lost: from the L_LOST_AT-th on all are. With L_LOST_ONCE=FILE only in the process that finds no
// FILE, and makes it: what takes that process' place has a device that works.
static int is_lost(void){
  if(lost) return 1;
  long k=++n_submit, at=env("L_LOST_AT",0); const char*once=getenv("L_LOST_ONCE");
  if(!at||k<at||(once&&access(once,F_OK)==0)) return 0;
  if(atomic_exchange(&lost,1)) return 1;
  if(once){int f=open(once,O_CREAT|O_WRONLY,0600); if(f>=0)close(f);}
  fprintf(stderr,"[layer] device lost at submit %ld\n",k); return 1;}
// With L_INVALID one call that is not allowed, a buffer without a size, for a layer of validation beneath to find.
static VkDevice device;
static void call_invalid(void){
  static atomic_int done; if(!getenv("L_INVALID")||atomic_exchange(&done,1)) return;
  PFN_vkCreateBuffer create=(PFN_vkCreateBuffer)gdpa(device,"vkCreateBuffer"); VkBuffer b=0;
  VkBufferCreateInfo i={VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,0,0,0,VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,VK_SHARING_MODE_EXCLUSIVE,0,0};
  if(create(device,&i,0,&b)==VK_SUCCESS&&b) ((PFN_vkDestroyBuffer)gdpa(device,"vkDestroyBuffer"))(device,b,0);}
static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue q,uint32_t n,const VkSubmitInfo*s,VkFence f){
  call_invalid();
  if(is_lost()) return VK_ERROR_DEVICE_LOST;
  return real_submit(q,n,s,f);}
static VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue q,uint32_t n,const VkSubmitInfo2*s,VkFence f){
  call_invalid();
  if(is_lost()) return VK_ERROR_DEVICE_LOST;
  return real_submit2(q,n,s,f);}
// With L_HAZARD no access to a buffer waits for another, for a layer of validation beneath to find.
static PFN_vkCmdPipelineBarrier real_barrier;
static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer c,VkPipelineStageFlags s,VkPipelineStageFlags d,VkDependencyFlags f,
  uint32_t n,const VkMemoryBarrier*m,uint32_t nb,const VkBufferMemoryBarrier*b,uint32_t ni,const VkImageMemoryBarrier*i){
  if(ni||!getenv("L_HAZARD")) real_barrier(c,s,d,f,n,m,nb,b,ni,i);}
static VKAPI_ATTR VkResult VKAPI_CALL alloc(VkDevice d,const VkMemoryAllocateInfo*i,const VkAllocationCallbacks*c,VkDeviceMemory*m){
  long k=++n_alloc; long at=env("L_OOM_AT",0), big=env("L_OOM_BIG",0), every=env("L_OOM_EVERY",0), budget=env("L_OOM_BUDGET",0);
  if((at&&k>=at)||(big&&(long)i->allocationSize>big)||(every&&k%every==0)||(budget&&bytes_alloc+(long)i->allocationSize>budget)){ if(getenv("L_LOG"))fprintf(stderr,"[layer] alloc %ld of %ld fails\n",k,(long)i->allocationSize); return VK_ERROR_OUT_OF_DEVICE_MEMORY;}
  VkResult r=real_alloc(d,i,c,m); if(r==VK_SUCCESS)bytes_alloc+=i->allocationSize; return r;}
static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice p,const VkDeviceCreateInfo*ci,const VkAllocationCallbacks*a,VkDevice*d){
  VkLayerDeviceCreateInfo*l=(VkLayerDeviceCreateInfo*)ci->pNext; while(l&&!(l->sType==VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO&&l->function==VK_LAYER_LINK_INFO))l=(VkLayerDeviceCreateInfo*)l->pNext;
  PFN_vkGetInstanceProcAddr gi=l->u.pLayerInfo->pfnNextGetInstanceProcAddr; gdpa=l->u.pLayerInfo->pfnNextGetDeviceProcAddr; l->u.pLayerInfo=l->u.pLayerInfo->pNext;
  PFN_vkCreateDevice cd=(PFN_vkCreateDevice)gi(inst,"vkCreateDevice"); VkResult r=cd(p,ci,a,d); if(r)return r; device=*d;
  real_submit=(void*)gdpa(*d,"vkQueueSubmit"); real_submit2=(void*)gdpa(*d,"vkQueueSubmit2"); real_alloc=(void*)gdpa(*d,"vkAllocateMemory");
  real_barrier=(void*)gdpa(*d,"vkCmdPipelineBarrier"); return r;}
static PFN_vkCreateXcbSurfaceKHR real_xcb;
static VKAPI_ATTR VkResult VKAPI_CALL xlib(VkInstance i,const VkXlibSurfaceCreateInfoKHR*c,const VkAllocationCallbacks*a,VkSurfaceKHR*o){
  VkXcbSurfaceCreateInfoKHR x={VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,0,0,XGetXCBConnection(c->dpy),(xcb_window_t)c->window};
  fprintf(stderr,"[layer] xlib surface through xcb\n"); return real_xcb(i,&x,a,o);}
static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*ci,const VkAllocationCallbacks*a,VkInstance*i){
  VkLayerInstanceCreateInfo*l=(VkLayerInstanceCreateInfo*)ci->pNext; while(l&&!(l->sType==VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO&&l->function==VK_LAYER_LINK_INFO))l=(VkLayerInstanceCreateInfo*)l->pNext;
  gipa=l->u.pLayerInfo->pfnNextGetInstanceProcAddr; l->u.pLayerInfo=l->u.pLayerInfo->pNext;
  PFN_vkCreateInstance c=(PFN_vkCreateInstance)gipa(NULL,"vkCreateInstance"); VkInstanceCreateInfo my=*ci; const char*ext[64]; uint32_t n=0; int has_xcb=0;
  if(getenv("L_XLIB")){for(uint32_t k=0;k<ci->enabledExtensionCount&&n<62;k++){ if(!strcmp(ci->ppEnabledExtensionNames[k],"VK_KHR_xlib_surface"))continue; if(!strcmp(ci->ppEnabledExtensionNames[k],"VK_KHR_xcb_surface"))has_xcb=1; ext[n++]=ci->ppEnabledExtensionNames[k];} if(!has_xcb)ext[n++]="VK_KHR_xcb_surface"; my.enabledExtensionCount=n; my.ppEnabledExtensionNames=ext;}
  VkResult r=c(&my,a,i); if(r)return r; inst=*i;
  real_props=(void*)gipa(*i,"vkGetPhysicalDeviceProperties"); real_props2=(void*)gipa(*i,"vkGetPhysicalDeviceProperties2"); if(!real_props2)real_props2=(void*)gipa(*i,"vkGetPhysicalDeviceProperties2KHR"); real_xcb=(void*)gipa(*i,"vkCreateXcbSurfaceKHR"); return r;}
__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL L_GetDeviceProcAddr(VkDevice d,const char*n);
__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL L_GetInstanceProcAddr(VkInstance i,const char*n){
#define H(x,f) if(!strcmp(n,x))return (PFN_vkVoidFunction)f;
  H("vkGetInstanceProcAddr",L_GetInstanceProcAddr) H("vkCreateInstance",create_instance) H("vkCreateDevice",create_device) H("vkGetPhysicalDeviceProperties",props) H("vkGetPhysicalDeviceProperties2",props2) H("vkGetPhysicalDeviceProperties2KHR",props2) H("vkGetDeviceProcAddr",L_GetDeviceProcAddr)
  H("vkQueueSubmit",submit) H("vkAllocateMemory",alloc) H("vkCmdPipelineBarrier",barrier) if(getenv("L_XLIB")){H("vkCreateXlibSurfaceKHR",xlib)}
  return gipa?gipa(i,n):NULL;}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL L_GetDeviceProcAddr(VkDevice d,const char*n){ H("vkGetDeviceProcAddr",L_GetDeviceProcAddr) H("vkQueueSubmit",submit) H("vkAllocateMemory",alloc) H("vkCmdPipelineBarrier",barrier) if(real_submit2){H("vkQueueSubmit2",submit2)} return gdpa(d,n);}
